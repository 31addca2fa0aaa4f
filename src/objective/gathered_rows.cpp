// Rows of a packing that one process has, gathered in an order.
#include <cassert>

#include "objective/packed_rows-inl.h"

namespace strata {

namespace {

constexpr std::size_t rows_ahead = 4;  // of the row that is gathered, are those asked for already

}  // namespace

void PackedRows::pack(const PackedRows& all, std::span<const std::size_t> order, std::size_t batch_size,
                      double weight_scale) {
  assert(engine_->processes().alone());
  make_ready(all, order.size(), batch_size, weight_scale);
  gather_rows(
      all, [order](std::size_t place) { return order[place]; }, weight_scale);
}

void PackedRows::pack(const PackedRows& all, const RowOrder& order, std::size_t first, std::size_t rows,
                      std::size_t batch_size, double weight_scale) {
  make_ready(all, rows, batch_size, weight_scale);
  if (!engine_->processes().alone()) return exchange_rows(all, order, first, weight_scale);
  gather_rows(
      all, [&order, first](std::size_t place) { return order[first + place]; }, weight_scale);
}

template <class RowAt>
void PackedRows::gather_rows(const PackedRows& all, const RowAt& row_at, double weight_scale) {
  engine_->threads().run(own_.size(), [&](std::size_t panel, std::size_t /*worker*/) {
    const std::size_t count = samples(panel);
    const auto row_of = [&, first = first_row(panel)](std::size_t j) { return row_at(first + j); };
    const Matrix in = input_panel(panel, count);
    const Matrix out = target_panel(panel, count);
    for (std::size_t j = 0; j < count; ++j) {
      if (j + rows_ahead < count) all.expect(row_of(j + rows_ahead));
      all.copy_row(row_of(j), in, out, j);
    }
    clear_padding(in, out, count);
    set_constant(panel);
    set_weights(panel, row_of, all.row_weights_, weight_scale);
  });
}

}  // namespace strata
