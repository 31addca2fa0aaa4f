#include "data/parsed_piece.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace strata {

namespace {

constexpr std::size_t first_slots = 64;

// Its first eight bytes, zeros behind a shorter text; a text is followed by at least eight bytes that may be read. Without a branch on
// the length, which the processor would guess wrong.
std::uint64_t word_of(std::string_view text) {
  if (text.empty()) return 0;
  const std::size_t unused = text.size() < 8 ? 8 * (8 - text.size()) : 0;
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t used = std::endian::native == std::endian::little ? all >> unused : all << unused;
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), sizeof word);
  return word & used;
}

// The first word is mixed in last: it alone is all there is of a short text.
std::uint64_t hash_of(std::string_view text, std::uint64_t first) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
  const auto mixed = [](std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * factor;
    return hash ^ (hash >> 29U);
  };
  std::uint64_t hash = text.size();
  for (std::size_t at = sizeof first; at < text.size(); at += sizeof first)
    hash = mixed(hash, word_of(text.substr(at)));
  return mixed(mixed(hash, first), 0);
}

}  // namespace

void PieceTexts::clear() {
  entries_.clear();
  slots_.assign(slots_.empty() ? first_slots : slots_.size(), {});
}

// The slot of this text, or the free one where it belongs.
PieceTexts::Slot& PieceTexts::find(std::string_view text, std::uint64_t word) {
  const std::size_t mask = slots_.size() - 1;
  const auto same = [&](const Slot& slot) {
    if (slot.word != word || slot.size != text.size()) return false;
    return text.size() <= sizeof word ||
           entries_[static_cast<std::size_t>(slot.code)].text.substr(sizeof word) == text.substr(sizeof word);
  };
  std::size_t at = (hash_of(text, word) >> 32U) & mask;
  while (slots_[at].code >= 0 && !same(slots_[at])) at = (at + 1) & mask;
  return slots_[at];
}

std::int32_t PieceTexts::find_or_add(std::string_view text, std::size_t line) {
  const std::uint64_t word = word_of(text);
  Slot& slot = find(text, word);
  ++slot.count;
  if (slot.code >= 0) return slot.code;
  const auto code = static_cast<std::int32_t>(entries_.size());
  slot.word = word;
  slot.size = static_cast<std::uint32_t>(text.size());
  slot.code = code;
  entries_.push_back({text, line});
  if (2 * entries_.size() > slots_.size()) grow();
  return code;
}

void PieceTexts::grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : before)
    if (slot.code >= 0) find(entries_[static_cast<std::size_t>(slot.code)].text, slot.word) = slot;
}

void PieceTexts::count() {
  for (const Slot& slot : slots_)
    if (slot.code >= 0) entries_[static_cast<std::size_t>(slot.code)].count = slot.count;
}

void ParsedPiece::parse(const Text& text, const CellReader& reader, const std::vector<CellKind>& kinds,
                        const CellRules& rules) {
  text_ = &text;
  kinds_ = kinds;
  columns_.resize(kinds.size());
  for (Cells& column : columns_) {
    column.numbers.clear();
    column.codes.clear();
    column.texts.clear();
  }
  lines_.clear();
  copies_.clear();
  CellReader cells = reader;
  try {
    plain_ = true;
    while (plain_ && cells.next_record()) {
      plain_ = parse_record(cells, rules);
      lines_.push_back(cells.record_line());
    }
    for (Cells& column : columns_) column.texts.count();
  } catch (const DataError&) {  // which the builder will find again, in its order
    plain_ = false;
  }
}

std::string_view ParsedPiece::lasting(std::string_view cell) {
  if (cell.empty() || (cell.data() >= text_->begin() && cell.data() < text_->end())) return cell;
  return std::string_view(copies_.emplace_back(cell).append(8, ' ')).substr(0, cell.size());
}

// A missing one is NaN. False for a text, and for a number with a unit.
bool ParsedPiece::parse_number(CellReader& reader, const CellRules& rules, double& value) {
  if (!reader.take_number(value)) {
    const std::string_view cell = reader.take_text();
    if (rules.is_missing(cell)) {
      value = Column::missing_number;
      return true;
    }
    const auto number = rules.number(cell);
    if (!number || number->unit > 0) return false;
    value = number->value;
  }
  if (rules.is_missing(value)) value = Column::missing_number;
  return true;
}

bool ParsedPiece::parse_record(CellReader& reader, const CellRules& rules) {
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    if (!reader.has_cell()) return false;
    Cells& cells = columns_[c];
    if (kinds_[c] == CellKind::numbers) {
      double value = 0;
      if (!parse_number(reader, rules, value)) return false;
      cells.numbers.push_back(value);
    } else if (kinds_[c] == CellKind::texts) {
      const std::size_t line = reader.line();
      cells.codes.push_back(cells.texts.find_or_add(lasting(reader.take_text()), line));
    } else {
      reader.take_text();
    }
  }
  return !reader.has_cell();
}

}  // namespace strata
