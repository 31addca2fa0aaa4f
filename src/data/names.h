#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strata/data/table.h"

namespace strata {

std::string lower_case(std::string_view text);
std::string_view trim(std::string_view text);  // blanks, tabs and carriage returns at both ends

bool contains(const std::vector<std::string>& names, const std::string& name);

// Where names stand in a list, for tables of many columns. The list must outlive it; of two equal names it knows the first.
class NameIndex {
 public:
  explicit NameIndex(std::span<const std::string> names);
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, std::size_t> positions_;
};

// Refuses an option that names a column which the table does not have, and suggests the nearest.
void refuse_unknown(const Table& table, const std::vector<std::string>& names, std::string_view option);

// A value short enough for a message: long texts are cut, control characters shown as dots.
std::string shown(std::string_view value);

}  // namespace strata
