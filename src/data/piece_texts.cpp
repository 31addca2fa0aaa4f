#include "data/piece_texts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "data/decimal.h"

namespace strata {

namespace {

constexpr std::size_t first_slots = 64;
constexpr std::size_t end_bytes = 8;

// Whether two texts of one length and with the same ends are the same.
bool same_middle(std::string_view a, std::string_view b) {
  for (std::size_t at = end_bytes; at + end_bytes < a.size(); at += end_bytes)
    if (eight_bytes(a.data() + at) != eight_bytes(b.data() + at)) return false;
  return true;
}

}  // namespace

inline PieceTexts::Ends PieceTexts::ends_of(std::string_view text) {
  static constexpr std::array<std::uint64_t, 9> used{0,
                                                     0xFF,
                                                     0xFFFF,
                                                     0xFFFFFF,
                                                     0xFFFFFFFF,
                                                     0xFFFFFFFFFF,
                                                     0xFFFFFFFFFFFF,
                                                     0xFFFFFFFFFFFFFF,
                                                     0xFFFFFFFFFFFFFFFF};
  const std::size_t within = std::min(text.size(), end_bytes);
  const std::uint64_t longer = text.size() > end_bytes ? used[end_bytes] : 0;
  return {eight_bytes(text.data()) & used[within],
          eight_bytes(text.data() + std::max(text.size(), end_bytes) - end_bytes) & longer};
}

inline std::uint64_t PieceTexts::hash_of(std::string_view text, const Ends& ends) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
  constexpr std::uint64_t other_factor = 0xC2B2AE3D27D4EB4FU;
  std::uint64_t hash = text.size();
  for (std::size_t at = end_bytes; at + end_bytes < text.size(); at += end_bytes) {
    hash = (hash ^ eight_bytes(text.data() + at)) * factor;
    hash ^= hash >> 29U;
  }
  hash = (hash ^ ends.first) * factor + ends.last * other_factor;
  return hash ^ (hash >> 32U);
}

void PieceTexts::clear() {
  entries_.clear();
  slots_.assign(slots_.empty() ? first_slots : slots_.size(), {});
}

// The slot of this text, or the free one where it belongs.
inline PieceTexts::Slot& PieceTexts::find(std::string_view text, const Ends& ends) {
  const std::size_t mask = slots_.size() - 1;
  const auto same = [&](const Slot& slot) {
    return slot.ends == ends && slot.size == text.size() && slot.code >= 0 &&
           same_middle(entries_[static_cast<std::size_t>(slot.code)].text, text);
  };
  std::size_t at = hash_of(text, ends) & mask;
  while (!same(slots_[at]) && slots_[at].code >= 0) at = (at + 1) & mask;
  return slots_[at];
}

std::int32_t PieceTexts::find_or_add(std::string_view text, std::size_t line) {
  const Ends ends = ends_of(text);
  Slot& slot = find(text, ends);
  ++slot.count;
  if (slot.code >= 0) return slot.code;
  const auto code = static_cast<std::int32_t>(entries_.size());
  slot.ends = ends;
  slot.size = static_cast<std::uint32_t>(text.size());
  slot.code = code;
  entries_.push_back({text, line});
  if (2 * entries_.size() > slots_.size()) grow();
  return code;
}

void PieceTexts::grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : before)
    if (slot.code >= 0) find(entries_[static_cast<std::size_t>(slot.code)].text, slot.ends) = slot;
}

void PieceTexts::count() {
  for (const Slot& slot : slots_)
    if (slot.code >= 0) entries_[static_cast<std::size_t>(slot.code)].count = slot.count;
}

}  // namespace strata
