#include "strata/data/dataset.h"

#include <algorithm>

namespace strata {

Dataset take_rows(const Dataset& data, std::span<const std::size_t> rows) {
  Dataset taken(rows.size(), data.features, data.outputs);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(data.x().row(rows[i]), taken.x().row(i).begin());
    std::ranges::copy(data.y().row(rows[i]), taken.y().row(i).begin());
    if (!data.weights.empty()) taken.weights.push_back(data.weights[rows[i]]);
  }
  return taken;
}

}  // namespace strata
