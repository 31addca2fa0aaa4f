#include "strata/objective/packed_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/panel.h"
#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"

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

// The factor that gives the weights of all rows the mean 1. They are added in the order of the rows, wherever they are.
double weight_scale(const Dataset& data, std::span<const std::size_t> order, Communicator& processes) {
  Vector gathered;
  if (!processes.alone()) {
    const std::vector<double> held(data.weights.begin(), data.weights.end());
    for (const auto& part : all_to_all(processes, std::vector(processes.size(), held)))
      gathered.insert(gathered.end(), part.begin(), part.end());
  }
  const Vector& weights = processes.alone() ? data.weights : gathered;
  if (weights.empty()) return 0;
  double sum = 0;
  for (const std::size_t row : order) sum += weights[row];
  const double scale = static_cast<double>(order.size()) / sum;
  if (!(scale > 0) || std::isinf(scale))
    throw InvalidOption("weights", fmt::format("a sum of {}", sum),
                        "give some rows a positive weight of moderate size");
  return scale;
}

}  // namespace

PackedRows::PackedRows(const Dataset& data, Engine& engine) : engine_(&engine), memory_(engine.memory()) {
  std::vector<std::size_t> order(data.all_rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  pack(data, order, order.size());
}

void PackedRows::lay_out(std::size_t rows, std::size_t batch_size) {
  stride_ = panel_stride(std::min(panel_rows, batch_size));
  batches_.clear();
  samples_.clear();
  starts_.clear();
  const std::size_t count = (rows + batch_size - 1) / batch_size;
  for (std::size_t start = 0; start < rows; start += batch_size) {
    const std::size_t in_batch = std::min(batch_size, rows - start);
    Rows batch{samples_.size(), 0, in_batch, batches_.size() * engine_->processes().size() / count};
    for (std::size_t done = 0; done < in_batch; done += panel_rows) {
      starts_.push_back(start + done);
      samples_.push_back(std::min(panel_rows, in_batch - done));
      ++batch.panels;
    }
    batches_.push_back(batch);
  }
  all_ = {0, samples_.size(), rows, 0};
}

ShardShares PackedRows::shares(const Rows& batch) const {
  return {.shards = std::min(most_shards, batch.panels),
          .processes = engine_->processes().size(),
          .home = batch.home,
          .shared = engine_->processes().alone() || batch.panels >= fewest_shared_panels};
}

std::size_t PackedRows::shard_begin(const Rows& batch, std::size_t shard) const {
  return batch.first_panel + shard * batch.panels / std::min(most_shards, batch.panels);
}

void PackedRows::find_own_panels() {
  own_.clear();
  most_panels_ = 0;
  const std::size_t rank = engine_->processes().rank();
  for (std::size_t process = 0; process < engine_->processes().size(); ++process) {
    std::size_t count = 0;
    for (const Rows& batch : batches_) {
      const ShardShares of_batch = shares(batch);
      const std::size_t begin = shard_begin(batch, of_batch.begin(process));
      const std::size_t end = shard_begin(batch, of_batch.end(process));
      count += end - begin;
      if (process == rank)
        for (std::size_t p = begin; p < end; ++p) own_.push_back(p);
    }
    most_panels_ = std::max(most_panels_, count);
  }
}

void PackedRows::pack(const Dataset& data, std::span<const std::size_t> order, std::size_t batch_size) {
  if (order.empty()) throw InvalidOption("rows", "0", "a data set needs at least one row");
  if (batch_size == 0) throw InvalidOption("batch", "0", "a batch needs at least one row");
  if (!data.weights.empty()) check_weights(data);
  features_ = data.features;
  outputs_ = data.outputs;
  lay_out(order.size(), batch_size);
  Communicator& processes = engine_->processes();
  const double scale = weight_scale(data, order, processes);
  find_own_panels();
  // All processes reserve what the one with most panels needs, so that the same is left everywhere.
  memory_.require(most_panels_ * (features_ + 1 + outputs_ + (scale > 0 ? 1 : 0)) * stride_ * sizeof(double));
  make_room(inputs_, own_.size() * (features_ + 1) * stride_);
  make_room(targets_, own_.size() * outputs_ * stride_);
  weights_.assign(scale > 0 ? own_.size() * stride_ : 0, 0.0);
  if (processes.alone()) {
    slots_.clear();
    for (const std::size_t panel : own_)
      pack_panel(data, panel, order.subspan(starts_[panel], samples_[panel]), scale);
    return;
  }
  slots_.assign(samples_.size(), own_.size());
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    slots_[own_[i]] = i;
    const auto rows = order.subspan(starts_[own_[i]], samples_[own_[i]]);
    wanted.insert(wanted.end(), rows.begin(), rows.end());
  }
  const Dataset fetched = fetch_rows(data, wanted, processes);
  std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  std::size_t start = 0;
  for (const std::size_t panel : own_) {
    pack_panel(fetched, panel, std::span(wanted).subspan(start, samples_[panel]), scale);
    start += samples_[panel];
  }
}

void PackedRows::pack_panel(const Dataset& data, std::size_t panel, std::span<const std::size_t> rows,
                            double weight_scale) {
  const std::size_t at = slot(panel);
  const std::size_t count = rows.size();
  const auto row_of = [rows](std::size_t j) { return rows[j]; };
  const Matrix in(inputs_.data() + at * (features_ + 1) * stride_, features_ + 1, padded(count), stride_);
  gather(data.x(), count, row_of, {in.data(), features_, in.columns(), stride_});
  set_constant_feature(in, count);
  gather(data.y(), count, row_of,
         {targets_.data() + at * outputs_ * stride_, outputs_, padded(count), stride_});
  if (weights_.empty()) return;
  for (std::size_t j = 0; j < count; ++j) weights_[at * stride_ + j] = weight_scale * data.weights[rows[j]];
}

std::span<const double> PackedRows::weights(std::size_t panel) const {
  if (weights_.empty()) return {};
  return {weights_.data() + slot(panel) * stride_, padded(samples_[panel])};
}

ConstMatrix PackedRows::inputs(std::size_t panel) const {
  return {inputs_.data() + slot(panel) * (features_ + 1) * stride_, features_ + 1, padded(samples_[panel]),
          stride_};
}

ConstMatrix PackedRows::targets(std::size_t panel) const {
  return {targets_.data() + slot(panel) * outputs_ * stride_, outputs_, padded(samples_[panel]), stride_};
}

}  // namespace strata
