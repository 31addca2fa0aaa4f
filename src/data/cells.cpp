#include "data/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace strata {

namespace {

// The first of two characters, one of which is there. Eight bytes at a time, where the first comes lowest: cells differ in length, and
// a loop over their bytes would end where the processor does not expect it.
const char* find_either(const char* at, char one, char other) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    const std::uint64_t all_one = ones * static_cast<unsigned char>(one);
    const std::uint64_t all_other = ones * static_cast<unsigned char>(other);
    const auto zeros = [](std::uint64_t word) { return (word - ones) & ~word & (ones << 7U); };
    const auto found_in = [&](const char* from) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, sizeof word);
      return zeros(word ^ all_one) | zeros(word ^ all_other);
    };
    for (;; at += 16) {
      const std::uint64_t first = found_in(at);
      const std::uint64_t second = found_in(at + 8);
      if ((first | second) == 0) continue;
      const bool later = first == 0;
      return at + (later ? 8 : 0) + std::countr_zero(later ? second : first) / 8;
    }
  }
  while (*at != one && *at != other) ++at;
  return at;
}

}  // namespace

bool CellReader::skips_line() const {
  const char* c = at_;
  while (*c == ' ' || *c == '\t') {
    if (*c == dialect_.separator && !dialect_.blanks()) break;
    ++c;
  }
  if (*c == '\r') ++c;
  return *c == '\n' || (dialect_.comment != '\0' && *c == dialect_.comment);
}

bool CellReader::next_record() {
  while (at_ < end_ && skips_line()) {
    at_ = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_) + 1)) + 1;
    ++line_;
  }
  if (dialect_.blanks())
    while (at_ < end_ && dialect_.separates(*at_)) ++at_;
  record_line_ = line_;
  has_cell_ = at_ < end_;
  return has_cell_;
}

std::string_view CellReader::take_text() {
  while (is_blank(*at_)) ++at_;
  return dialect_.is_quote(*at_) ? take_quoted() : take_bare();
}

void CellReader::refuse_long(std::size_t length) const {
  if (length <= longest_cell) return;
  throw DataError({text_->file(), line_}, fmt::format("a cell has more than {} bytes; shorten it, or close a "
                                                      "quote that was left open",
                                                      longest_cell));
}

std::string_view CellReader::take_bare() {
  const char* from = at_;
  const char* to = from;
  if (dialect_.blanks())
    while (!dialect_.separates(*to) && *to != '\n') ++to;
  else
    to = find_either(from, dialect_.separator, '\n');
  const char* last = to;
  if (*to == '\n' && to > from && to[-1] == '\r') --last;
  refuse_long(static_cast<std::size_t>(last - from));
  finish(to);
  while (last > from && is_blank(last[-1])) --last;
  return {from, static_cast<std::size_t>(last - from)};
}

std::string_view CellReader::take_quoted() {
  const Location start{text_->file(), line_};
  const char quote = *at_;
  const char* from = at_ + 1;
  const char* to = from;
  bool copied = false;
  unescaped_.clear();
  for (;; ++to) {
    if (to >= end_) throw DataError(start, "a quoted text begins here and never ends; close the quote");
    if (*to == '\n') ++line_;
    if (*to == quote && to[1] == quote) {
      unescaped_.append(from, to + 1);
      from = ++to + 1;
      copied = true;
    } else if (*to == '\\' && dialect_.single_quotes && to + 1 < end_) {
      unescaped_.append(from, to);
      from = ++to;
      copied = true;
    } else if (*to == quote) {
      break;
    }
  }
  const std::string_view tail(from, static_cast<std::size_t>(to - from));
  if (copied) unescaped_.append(tail);
  refuse_long(copied ? unescaped_.size() : tail.size());
  ++to;
  while (is_blank(*to)) ++to;
  if (!ends_cell(*to) || (*to == '\r' && to[1] != '\n'))
    throw DataError({text_->file(), line_},
                    "text follows a closing quote; double a quote inside quoted text");
  finish(to);
  return copied ? std::string_view(unescaped_) : tail;
}

}  // namespace strata
