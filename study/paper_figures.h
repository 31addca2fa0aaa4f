#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/data/table.h"
#include "study/run_set.h"

namespace strata {

inline constexpr std::size_t paper_runs = 10;  // starts behind every figure of the paper

// One of the paper's tables, from experiments/paper.
class PaperFigures {
 public:
  using Where = std::vector<std::pair<std::string, std::string>>;  // columns and what they must say

  explicit PaperFigures(std::string_view file);

  // The figure in that column of the row that says this; nothing when the paper has no such row.
  [[nodiscard]] std::optional<double> find(const Where& where, std::string_view column) const;
  [[nodiscard]] std::optional<double> find(const StudyCell& cell, std::string_view column) const {
    return find({{"network", cell.network}, {"dataset", cell.data}}, column);
  }
  [[nodiscard]] std::optional<Score> score(const Where& where) const;  // columns wins and defeats

 private:
  Table table_;
};

}  // namespace strata
