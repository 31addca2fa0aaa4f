#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/number_text.h"
#include "strata/data/text_style.h"

namespace strata {

// What the text of a cell means: a number, a missing value, or neither.
class CellRules {
 public:
  explicit CellRules(const TextStyle& style = {});

  [[nodiscard]] bool is_missing(std::string_view cell) const;
  [[nodiscard]] bool is_missing(double number) const {  // -999 may stand for it
    for (const double marker : number_markers_)
      if (number == marker) return true;
    return false;
  }
  [[nodiscard]] std::optional<WrittenNumber> number(std::string_view cell) const {
    return read_number(cell, numbers_);
  }
  [[nodiscard]] NumberStyle numbers() const { return numbers_; }

 private:
  std::vector<std::string> markers_;  // lower case
  std::vector<double> number_markers_;
  std::size_t longest_ = 0;
  NumberStyle numbers_;
};

}  // namespace strata
