#include "data/cell_rules.h"

#include <algorithm>

#include "data/names.h"

namespace strata {

const std::vector<std::string>& missing_markers() {
  static const std::vector<std::string> markers{"NA", "N/A", "null", "none", "nan", "<null>", "-", ".", "?"};
  return markers;
}

TextStyle merged(const TextStyle& given, const TextStyle& otherwise) {
  TextStyle style = given;
  if (!style.separator) style.separator = otherwise.separator;
  if (!style.quote) style.quote = otherwise.quote;
  if (!style.decimal) style.decimal = otherwise.decimal;
  if (!style.thousands) style.thousands = otherwise.thousands;
  if (style.header == Header::detect) style.header = otherwise.header;
  if (style.names.empty()) style.names = otherwise.names;
  if (!style.missing) style.missing = otherwise.missing;
  if (style.encoding == Encoding::detect) style.encoding = otherwise.encoding;
  return style;
}

CellRules::CellRules(const TextStyle& style)
    : numbers_{style.decimal.value_or('.'), style.thousands.value_or('\0')} {
  for (const std::string& marker : style.missing ? *style.missing : missing_markers()) {
    markers_.push_back(lower_case(marker));
    longest_ = std::max(longest_, marker.size());
    if (const auto number = read_number(marker, numbers_)) number_markers_.push_back(number->value);
  }
}

bool CellRules::is_missing(std::string_view cell) const {
  if (cell.empty()) return true;
  if (cell.size() > longest_) return false;
  const std::string word = lower_case(cell);
  return std::ranges::find(markers_, word) != markers_.end();
}

}  // namespace strata
