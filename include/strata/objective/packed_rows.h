#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"
#include "strata/data/dataset.h"

namespace strata {

// A batch: consecutive panels of a PackedRows.
struct Rows {
  std::size_t first_panel = 0;
  std::size_t panels = 0;
  std::size_t rows = 0;
  friend bool operator==(const Rows&, const Rows&) = default;
};

// A data set stored the way the kernels read it: panels of samples, feature by feature, cut where batches end. An
// input panel carries one more feature, the constant 1, for networks with a bias there. Weights are scaled to have mean 1
// over the rows, so that sums of weighted losses are divided by the number of rows, here as in every batch.
class PackedRows {
 public:
  static constexpr std::size_t panel_rows = 128;  // ten layers of 50 take about half a megabyte

  explicit PackedRows(const Dataset& data);  // all rows, in their order, as one batch

  // The given rows in the given order, in batches of `batch_size` (the last may be smaller). Memory is reused.
  void pack(const Dataset& data, std::span<const std::size_t> order, std::size_t batch_size);

  [[nodiscard]] std::size_t rows() const { return all_.rows; }
  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] std::size_t batches() const { return batches_.size(); }
  [[nodiscard]] Rows batch(std::size_t index) const { return batches_[index]; }
  [[nodiscard]] Rows all() const { return all_; }

  [[nodiscard]] std::size_t stride() const { return stride_; }  // of every panel made for these rows
  [[nodiscard]] std::size_t samples(std::size_t panel) const { return samples_[panel]; }
  [[nodiscard]] ConstMatrix inputs(std::size_t panel) const;   // features + 1
  [[nodiscard]] ConstMatrix targets(std::size_t panel) const;  // outputs
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  [[nodiscard]] std::span<const double> weights(std::size_t panel) const;  // padding: 0; empty: all are 1

 private:
  void lay_out(std::size_t rows, std::size_t batch_size);
  void pack_weights(const Vector& weights, std::span<const std::size_t> order);

  std::size_t features_ = 0;
  std::size_t outputs_ = 0;
  std::size_t stride_ = 0;
  Rows all_;
  std::vector<Rows> batches_;
  std::vector<std::size_t> samples_;
  Vector inputs_;
  Vector targets_;
  Vector weights_;
};

}  // namespace strata
