// Single rows and panels of a PackedRows, which are most of what a minibatch costs. Included where rows are written.
#pragma once

#include <algorithm>

#include "kernels/panel.h"
#include "strata/objective/packed_rows.h"

namespace strata {

// Zeros behind the samples.
inline void clear_padding(Matrix inputs, Matrix targets, std::size_t samples) {
  for (const Matrix panel : {inputs, targets})
    for (std::size_t f = 0; f < panel.rows(); ++f) std::ranges::fill(panel.row(f).subspan(samples), 0);
}

// What a panel has beside the numbers of its rows.
inline void PackedRows::set_constant(std::size_t panel) {
  if (storage_ != Storage::doubles) return;
  set_constant_feature({inputs_.data() + slot(panel) * (features_ + 1) * stride_, features_ + 1,
                        padded(samples(panel)), stride_},
                       samples(panel));
}

template <class RowOf>
void PackedRows::set_weights(std::size_t panel, const RowOf& row_of, const Vector& row_weights,
                             double scale) {
  if (!weighted_) return;
  double* const to = weights_.data() + slot(panel) * stride_;
  for (std::size_t j = 0; j < samples(panel); ++j) to[j] = scale * row_weights[row_of(j)];
}

// What `copy_row` will read, on its way from the memory.
inline void PackedRows::expect(std::size_t row) const {
  const std::size_t at = slot(row / panel_rows);
  const std::size_t place = row % panel_rows;
  const double* const targets = targets_.data() + at * outputs_ * stride_ + place;
  for (std::size_t o = 0; o < outputs_; ++o) __builtin_prefetch(targets + o * stride_);
  if (storage_ == Storage::doubles) {
    const double* const from = inputs_.data() + at * (features_ + 1) * stride_ + place;
    for (std::size_t f = 0; f < features_; ++f) __builtin_prefetch(from + f * stride_);
  } else if (storage_ == Storage::singles) {
    const float* const from = singles_.data() + (at * panel_rows + place) * features_;
    constexpr std::size_t of_a_line = 64 / sizeof(float);
    for (std::size_t f = 0; f < features_; f += of_a_line) __builtin_prefetch(from + f);
    __builtin_prefetch(from + features_ - 1);
  }
}

inline void PackedRows::copy_row(std::size_t row, Matrix inputs, Matrix targets, std::size_t column) const {
  const std::size_t at = slot(row / panel_rows);
  const std::size_t place = row % panel_rows;
  const double* const y = targets_.data() + at * outputs_ * stride_ + place;
  for (std::size_t o = 0; o < outputs_; ++o) targets(o, column) = y[o * stride_];
  if (storage_ == Storage::doubles) {
    const double* const x = inputs_.data() + at * (features_ + 1) * stride_ + place;
    for (std::size_t f = 0; f < features_; ++f) inputs(f, column) = x[f * stride_];
    return;
  }
  const float* const x = singles_.data() + (at * panel_rows + place) * features_;
  for (std::size_t f = 0; f < features_; ++f) inputs(f, column) = x[f];
  count_use(MappedBytes::page_bytes() + features_ * sizeof(float));
}

}  // namespace strata
