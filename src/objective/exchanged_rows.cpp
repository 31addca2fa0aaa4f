// Rows that processes share, sent to where their batches are computed.
#include <utility>
#include <vector>

#include "objective/packed_rows-inl.h"
#include "strata/parallel/collective.h"

namespace strata {

// The process that computes the row at a place.
std::size_t PackedRows::owner(std::size_t place) const {
  const Rows of = batch(cuts_.batch_of(place));
  const ShardShares of_batch = shares(of);
  return of_batch.owner(((cuts_.panel_of(place) - of.first_panel + 1) * of_batch.shards - 1) / of.panels);
}

// Every process sends its rows from the first place on to where these are computed. All call together.
void PackedRows::exchange_rows(const PackedRows& all, const RowOrder& order, std::size_t first,
                               double weight_scale) {
  Communicator& processes = engine_->processes();
  std::vector<std::vector<std::uint64_t>> places(processes.size());
  std::vector<std::vector<double>> rows(processes.size());
  Vector row(features_ + outputs_ + (weighted_ ? 1 : 0));
  const Matrix x(row.data(), features_, 1);
  const Matrix y(row.data() + features_, outputs_, 1);
  for (std::size_t i = 0; i < all.own_rows(); ++i) {
    if (order[i] < first) continue;
    const std::size_t place = order[i] - first;
    all.copy_row(all.first_own_row() + i, x, y, 0);
    if (weighted_) row.back() = weight_scale * all.row_weights_[i];
    const std::size_t to = owner(place);
    places[to].push_back(place);
    rows[to].insert(rows[to].end(), row.begin(), row.end());
  }
  const auto places_here = all_to_all(processes, std::move(places));
  const auto rows_here = all_to_all(processes, std::move(rows));
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const double* from = rows_here[p].data();
    for (const std::size_t place : places_here[p]) {
      const std::size_t panel = cuts_.panel_of(place);
      const std::size_t at = slot(panel);
      const std::size_t column = cuts_.column_of(place);
      const Matrix in = input_panel(at, samples(panel));
      const Matrix out = target_panel(at, samples(panel));
      for (std::size_t f = 0; f < features_; ++f) in(f, column) = *from++;
      for (std::size_t o = 0; o < outputs_; ++o) out(o, column) = *from++;
      if (weighted_) weights_[at * stride_ + column] = *from++;
    }
  }
  for (const std::size_t panel : own_) {
    const std::size_t at = slot(panel);
    const std::size_t count = samples(panel);
    clear_padding(input_panel(at, count), target_panel(at, count), count);
    set_constant(panel);
  }
}

}  // namespace strata
