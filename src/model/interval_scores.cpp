#include <algorithm>
#include <cmath>

#include "model/interval.h"
#include "model/response.h"
#include "model/totals.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// Errors of one target and, where they are asked for, the spreads of the members for the same rows.
struct Errors {
  std::vector<double> errors = {};
  std::vector<double> spreads = {};

  void append(const Errors& others) {
    errors.insert(errors.end(), others.errors.begin(), others.errors.end());
    spreads.insert(spreads.end(), others.spreads.begin(), others.spreads.end());
  }
};

// Members agree on most rows far better than the truth lets them: without an offset, the few rows with hardly any spread decide on
// the bounds of all. Eight times the median was chosen on rows that were neither trained nor tested on (docs/mathematics.md).
double offset_of(std::vector<double> spreads) {
  if (spreads.empty()) return 0;
  const auto middle = spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2);
  std::nth_element(spreads.begin(), middle, spreads.end());
  return 8 * *middle;
}

}  // namespace

ConformalScores conformal_scores(const Model& model, const EvaluationSets& sets) {
  const PackedRows& rows = *sets.front().rows;
  const Response response(model);
  const bool classes = !model.preprocessor.classes().empty();
  // Those that trained on a row come near to its target, the nearer the farther off it is: only members that did not tell how hard
  // the row is.
  const bool by_spread = has_plain_bounds(model) && std::ranges::all_of(sets, [](const EvaluationSet& set) {
                           return set.networks.size() > 1;
                         });
  const std::size_t targets = rows.outputs();
  const std::size_t levels = classes ? 1 : response.columns() / targets;
  // Lists of scores: one for each target, of classes for each fold.
  const std::size_t lists = classes ? sets.size() : targets;
  Engine& engine = rows.engine();
  std::vector found(engine.threads().threads(), std::vector<Errors>(lists));
  for (std::size_t fold = 0; fold < sets.size(); ++fold) {
    const auto add = [&](const EvaluatedRow& row) {
      for (std::size_t t = 0; t < targets; ++t) {
        const double error =
            classes ? 1 - row.predictions[static_cast<std::size_t>(row.targets[t])]
                    : interval_score(model, row.predictions.subspan(t * levels, levels),
                                     model.preprocessor.target().to_own_units(row.targets[t], t));
        if (!std::isfinite(error) || (by_spread && !std::isfinite(row.spread[t]))) continue;
        Errors& list = found[row.worker][classes ? fold : t];
        list.errors.push_back(error);
        if (by_spread) list.spreads.push_back(row.spread[t]);
      }
    };
    over_rows(response, sets[fold], {}, add, by_spread);
  }
  std::vector<Errors> all(lists);
  ConformalScores scores;
  for (std::size_t k = 0; k < lists; ++k) {
    for (const auto& part : found) all[k].append(part[k]);
    all[k] = {gathered(all[k].errors, engine.processes()), gathered(all[k].spreads, engine.processes())};
    if (by_spread) scores.offsets.push_back(offset_of(all[k].spreads));
  }
  // Members that are all the same have no spread to go by.
  if (std::ranges::any_of(scores.offsets, [](double offset) { return !(offset > 0); }))
    scores.offsets.clear();
  if (!scores.offsets.empty() || (classes && sets.size() > 1))
    for (const EvaluationSet& set : sets) scores.folds.push_back(set.networks.size());
  for (std::size_t k = 0; k < lists; ++k) {
    auto& [errors, spreads] = all[k];
    if (!scores.offsets.empty())
      for (std::size_t i = 0; i < errors.size(); ++i) errors[i] /= spreads[i] + scores.offsets[k];
    scores.rows = classes ? scores.rows + errors.size() : errors.size();
    scores.sorted.push_back(kept_scores(std::move(errors)));
  }
  return scores;
}

}  // namespace strata
