#include "model/interval.h"
#include "model/response.h"
#include "model/totals.h"
#include "strata/parallel/collective.h"

namespace strata {

ConformalScores conformal_scores(const Model& model, const EvaluationSets& sets) {
  const PackedRows& rows = *sets.front().rows;
  const Response response(model);
  const bool classes = !model.preprocessor.classes().empty();
  const std::size_t targets = rows.outputs();
  const std::size_t levels = classes ? 1 : response.columns() / targets;
  Engine& engine = rows.engine();
  std::vector found(engine.threads().threads(), std::vector<std::vector<double>>(targets));
  const auto add = [&](const EvaluatedRow& row) {
    for (std::size_t t = 0; t < targets; ++t) {
      const double score = classes
                               ? 1 - row.predictions[static_cast<std::size_t>(row.targets[t])]
                               : interval_score(model, row.predictions.subspan(t * levels, levels),
                                                model.preprocessor.target().to_own_units(row.targets[t], t));
      if (std::isfinite(score)) found[row.worker][t].push_back(score);
    }
  };
  for (const EvaluationSet& set : sets) over_rows(response, set, {}, add);
  ConformalScores scores;
  for (std::size_t t = 0; t < targets; ++t) {
    std::vector<double> all;
    for (const auto& part : found) all.insert(all.end(), part[t].begin(), part[t].end());
    all = gathered(all, engine.processes());
    scores.rows = all.size();
    scores.sorted.push_back(kept_scores(std::move(all)));
  }
  return scores;
}

}  // namespace strata
