#include "data/cells.h"

#include <algorithm>
#include <cstring>

#include "data/names.h"

namespace strata {

bool parse_number(std::string_view text, double& value) {
  const char* from = text.data();
  const char* to = from + text.size();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++from;
  const auto parsed = fast_float::from_chars(from, to, value);
  return parsed.ec == std::errc() && parsed.ptr == to;
}

bool is_missing_token(std::string_view text) {
  switch (text.size()) {
    case 0: return true;
    case 1: return text[0] == '?';
    case 2:
    case 3:
    case 6: {
      const std::string word = lower_case(text);
      return word == "na" || word == "nan" || word == "<null>";
    }
    default: return false;
  }
}

bool CellReader::skips_line() const {
  const char* c = at_;
  while (is_blank(*c)) ++c;
  if (*c == '\r') ++c;
  return *c == '\n' || (dialect_.comment != '\0' && *c == dialect_.comment);
}

bool CellReader::next_record() {
  while (at_ < end_ && skips_line()) {
    at_ = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_) + 1)) + 1;
    ++line_;
  }
  record_line_ = line_;
  has_cell_ = at_ < end_;
  return has_cell_;
}

std::string_view CellReader::take_text() {
  while (is_blank(*at_)) ++at_;
  return is_quote(*at_) ? take_quoted() : take_bare();
}

std::string_view CellReader::take_bare() {
  const char* from = at_;
  const char* to = from;
  while (*to != dialect_.separator && *to != '\n') ++to;
  const char* last = to;
  if (*to == '\n' && to > from && to[-1] == '\r') --last;
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
  ++to;
  while (is_blank(*to)) ++to;
  if (!ends_cell(*to) || (*to == '\r' && to[1] != '\n'))
    throw DataError({text_->file(), line_},
                    "text follows a closing quote; double a quote inside quoted text");
  finish(to);
  return copied ? std::string_view(unescaped_) : tail;
}

}  // namespace strata
