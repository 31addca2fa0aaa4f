#include "strata/model/conformal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/json_text.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

constexpr std::size_t most_scores = 2000;

}  // namespace

// With n scores the i-th that is kept has the rank ceil(i n / kept).
std::vector<double> kept_scores(std::vector<double> scores) {
  std::ranges::sort(scores);
  const std::size_t n = scores.size();
  if (n <= most_scores) return scores;
  std::vector<double> kept;
  for (std::size_t i = 1; i <= most_scores; ++i)
    kept.push_back(scores[(i * n + most_scores - 1) / most_scores - 1]);
  return kept;
}

double ConformalScores::at(double coverage, std::size_t target) const {
  const std::string value = fmt::format("{}", coverage);
  if (!(coverage > 0 && coverage < 1))
    throw InvalidOption("coverage", value, "use a share of rows between 0 and 1, such as 0.9");
  if (rows == 0)
    throw InvalidOption(
        "coverage", value,
        "the model was trained without validation rows, which intervals are made from; train it with some");
  // A little less than the product, which may be rounded up beyond a whole number.
  const auto rank =
      static_cast<std::size_t>(std::ceil(static_cast<double>(rows + 1) * coverage * (1 - 1e-12)));
  if (rank > rows)
    throw InvalidOption(
        "coverage", value,
        fmt::format("it needs at least {} validation rows and the model had {}; use a smaller coverage",
                    std::ceil(coverage / (1 - coverage) * (1 - 1e-12)), rows));
  const std::vector<double>& scores = sorted[target];
  return scores[(rank * scores.size() + rows - 1) / rows - 1];
}

double ConformalScores::p_value(std::span<const double> scores) const {
  double share = 0;
  for (std::size_t fold = 0; fold < sorted.size(); ++fold) {
    const auto no_better = sorted[fold].end() - std::ranges::lower_bound(sorted[fold], scores[fold]);
    share += static_cast<double>(no_better) / static_cast<double>(sorted[fold].size() * sorted.size());
  }
  return (1 + static_cast<double>(rows) * share) / static_cast<double>(rows + 1);
}

std::string ConformalScores::to_json() const {
  JsonText text;
  text.begin_object().member("rows", rows).member("sorted", sorted);
  if (!offsets.empty()) text.member("offsets", offsets);
  if (!offsets.empty() || !folds.empty()) text.member("folds", folds);
  return text.end_object().text();
}

ConformalScores ConformalScores::from_json(std::string_view json, const std::string& name_for_messages) {
  const JsonDocument document = parse_json(json, name_for_messages, "the scores of intervals");
  const auto refuse = [&]() -> void {
    throw DataError({name_for_messages}, "the scores of intervals cannot be used; the file is damaged");
  };
  ConformalScores read;
  try {
    read.rows = document.root().at("rows").get_ref<const nlohmann::json::number_unsigned_t&>();
    for (const auto& list : document.root().at("sorted").get_ref<const nlohmann::json::array_t&>())
      read.sorted.push_back(list.get<std::vector<double>>());
    const bool by_spread = document.root().contains("offsets");
    if (by_spread) read.offsets = document.root().at("offsets").get<std::vector<double>>();
    if (by_spread || document.root().contains("folds"))
      for (const auto& fold : document.root().at("folds").get_ref<const nlohmann::json::array_t&>())
        read.folds.push_back(fold.get_ref<const nlohmann::json::number_unsigned_t&>());
  } catch (const nlohmann::json::exception&) {
    refuse();
  }
  const bool of_folds = read.offsets.empty() && !read.folds.empty();
  for (const auto& scores : read.sorted) {
    const bool fits = of_folds ? !scores.empty() && scores.size() <= most_scores
                               : scores.size() == std::min(read.rows, most_scores);
    if (!fits || !std::ranges::is_sorted(scores)) refuse();
  }
  if (read.offsets.empty()) return read;
  const auto usable = [](double offset) { return std::isfinite(offset) && offset > 0; };
  if (read.offsets.size() != read.sorted.size() || !std::ranges::all_of(read.offsets, usable)) refuse();
  return read;
}

}  // namespace strata
