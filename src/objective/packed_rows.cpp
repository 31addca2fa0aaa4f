#include "strata/objective/packed_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/panel.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

void check_weights(const Dataset& data) {
  if (data.weights.size() != data.rows)
    throw InvalidOption("weights", fmt::format("{} numbers", data.weights.size()),
                        fmt::format("the data have {} rows; give one weight for each, or none", data.rows));
  for (std::size_t row = 0; row < data.rows; ++row)
    if (!(data.weights[row] >= 0) || std::isinf(data.weights[row]))
      throw InvalidOption("weights", fmt::format("{}", data.weights[row]),
                          fmt::format("give row {} a finite weight, 0 or more", row + 1));
}

}  // namespace

PackedRows::PackedRows(const Dataset& data) {
  std::vector<std::size_t> order(data.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  pack(data, order, data.rows);
}

void PackedRows::lay_out(std::size_t rows, std::size_t batch_size) {
  stride_ = panel_stride(std::min(panel_rows, batch_size));
  batches_.clear();
  samples_.clear();
  for (std::size_t start = 0; start < rows; start += batch_size) {
    const std::size_t in_batch = std::min(batch_size, rows - start);
    Rows batch{samples_.size(), 0, in_batch};
    for (std::size_t done = 0; done < in_batch; done += panel_rows) {
      samples_.push_back(std::min(panel_rows, in_batch - done));
      ++batch.panels;
    }
    batches_.push_back(batch);
  }
  all_ = {0, samples_.size(), rows};
}

void PackedRows::pack(const Dataset& data, std::span<const std::size_t> order, std::size_t batch_size) {
  if (order.empty()) throw InvalidOption("rows", "0", "a data set needs at least one row");
  if (batch_size == 0) throw InvalidOption("batch", "0", "a batch needs at least one row");
  if (!data.weights.empty()) check_weights(data);
  features_ = data.features;
  outputs_ = data.outputs;
  lay_out(order.size(), batch_size);
  inputs_.resize(samples_.size() * (features_ + 1) * stride_);
  targets_.resize(samples_.size() * outputs_ * stride_);
  std::size_t start = 0;
  for (std::size_t panel = 0; panel < samples_.size(); ++panel) {
    const std::size_t count = samples_[panel];
    const auto row_of = [&order, start](std::size_t j) { return order[start + j]; };
    const Matrix in(inputs_.data() + panel * (features_ + 1) * stride_, features_ + 1, padded(count),
                    stride_);
    gather(data.x(), count, row_of, {in.data(), features_, in.columns(), stride_});
    set_constant_feature(in, count);
    gather(data.y(), count, row_of,
           {targets_.data() + panel * outputs_ * stride_, outputs_, padded(count), stride_});
    start += count;
  }
  if (data.weights.empty())
    weights_.clear();
  else
    pack_weights(data.weights, order);
}

void PackedRows::pack_weights(const Vector& weights, std::span<const std::size_t> order) {
  weights_.assign(samples_.size() * stride_, 0.0);
  double sum = 0;
  for (const std::size_t row : order) sum += weights[row];
  const double scale = static_cast<double>(order.size()) / sum;
  if (!(scale > 0) || std::isinf(scale))
    throw InvalidOption("weights", fmt::format("a sum of {}", sum),
                        "give some rows a positive weight of moderate size");
  std::size_t next = 0;
  for (std::size_t panel = 0; panel < samples_.size(); ++panel)
    for (std::size_t j = 0; j < samples_[panel]; ++j)
      weights_[panel * stride_ + j] = scale * weights[order[next++]];
}

std::span<const double> PackedRows::weights(std::size_t panel) const {
  if (weights_.empty()) return {};
  return {weights_.data() + panel * stride_, padded(samples_[panel])};
}

ConstMatrix PackedRows::inputs(std::size_t panel) const {
  return {inputs_.data() + panel * (features_ + 1) * stride_, features_ + 1, padded(samples_[panel]),
          stride_};
}

ConstMatrix PackedRows::targets(std::size_t panel) const {
  return {targets_.data() + panel * outputs_ * stride_, outputs_, padded(samples_[panel]), stride_};
}

}  // namespace strata
