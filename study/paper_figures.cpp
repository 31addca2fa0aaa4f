#include "study/paper_figures.h"

#include <algorithm>

#include "strata/data/read.h"
#include "study/files.h"

namespace strata {

PaperFigures::PaperFigures(std::string_view file)
    : table_(parse_csv(text_of(experiment_files(), file), std::string(file),
                       {.style = {.header = Header::present}})) {}

std::optional<double> PaperFigures::find(const Where& where, std::string_view column) const {
  const Column& figures = table_.column(column);
  for (std::size_t row = 0; row < table_.rows(); ++row)
    if (std::all_of(where.begin(), where.end(), [&](const auto& condition) {
          return table_.column(condition.first).text(row) == condition.second;
        }))
      return figures.numbers[row];
  return {};
}

std::optional<Score> PaperFigures::score(const Where& where) const {
  const auto wins = find(where, "wins");
  if (!wins) return {};
  return Score{static_cast<std::size_t>(*wins), static_cast<std::size_t>(*find(where, "defeats")),
               paper_runs};
}

}  // namespace strata
