#include "strata/network/centres.h"

#include <cassert>
#include <vector>

#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"

namespace strata {

void place_centres(Network& network, const Dataset& data, RandomStream stream, Communicator& processes) {
  assert(network.architecture().is_radial(0));
  const Matrix centres = network.layer(0);
  const Vector weights = gathered(data.weights, processes);
  std::vector<std::size_t> drawn;
  for (const std::size_t row : stream.permutation(data.all_rows()))
    if (drawn.size() < centres.columns() && (weights.empty() || weights[row] > 0)) drawn.push_back(row);
  const Vector rows = feature_rows(fetch_rows(data, drawn, processes));
  for (std::size_t o = 0; o < drawn.size(); ++o)
    for (std::size_t k = 0; k < centres.rows(); ++k) centres(k, o) = rows[o * centres.rows() + k];
}

}  // namespace strata
