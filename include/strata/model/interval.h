#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "strata/model/model.h"

namespace strata {

// From predictions to what holds the truth for the wanted share of new rows, by split conformal prediction (Vovk, Gammerman &
// Shafer 2005; Lei et al. 2018): the bound on the error that so many of the validation rows keep. The share is over rows like
// those of the training, on average, not for each kind of row.
//   numbers      prediction -+ q; where several members held out the same rows, -+ q (their spread + an offset), after
//                Papadopoulos, Proedrou, Vovk & Gammerman 2002
//   counts       prediction -+ q sqrt(prediction)
//   quantiles    lowest level - q, highest level + q (Romano, Patterson & Candes 2019)
//   classes      every class whose probability is at least 1 - q, and the most probable one. A classifier that is right more often
//                than was asked then covers more than was asked: where sets may be empty, they cover what was asked. Of several
//                folds: every class whose p-value, the mean over the folds, is above 1 - coverage (Vovk 2015). The mean of all
//                members is less sure of itself than those of one fold: scores of these would be too small a bound for it
class IntervalRule {
 public:
  // Refuses a model without validation rows, or with too few for this coverage.
  IntervalRule(const Model& model, double coverage, bool allow_empty = false);

  // Low and high for each target; for classes one for each: 1 where it belongs to the set, otherwise 0.
  [[nodiscard]] std::size_t columns() const;
  [[nodiscard]] std::vector<std::string> names() const;  // "price_low", "price_high"; "y=red"

  // predictions: what `predict` gives for a row as Predicted::for_intervals.
  void apply(std::span<const double> predictions, std::span<double> out) const;

 private:
  void find_set(std::span<const double> predictions, std::span<double> out) const;

  const Model* model_;
  std::size_t classes_;
  std::size_t levels_;          // predictions for each target
  bool counts_;                 // poisson
  double least_p_value_;        // classes of several folds
  bool allow_empty_;            // classes: the most probable one is not added
  std::vector<double> bounds_;  // q of each target
};

}  // namespace strata
