#include "strata/objective/packed_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/panel.h"
#include "objective/packed_rows-inl.h"
#include "objective/row_weights.h"
#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

void check_sizes(std::size_t rows, std::size_t batch_size) {
  if (rows == 0) throw InvalidOption("rows", "0", "a data set needs at least one row");
  if (batch_size == 0) throw InvalidOption("batch", "0", "a batch needs at least one row");
}

}  // namespace

PanelCuts::PanelCuts(std::size_t rows, std::size_t batch_size, std::size_t processes)
    : rows_(rows),
      batch_size_(batch_size),
      processes_(processes),
      panels_of_batch_((batch_size + panel_rows - 1) / panel_rows),
      batches_((rows + batch_size - 1) / batch_size),
      panels_(panel_of(rows - 1) + 1) {}

Rows PanelCuts::batch(std::size_t index) const {
  const std::size_t rows = std::min(batch_size_, rows_ - index * batch_size_);
  return {index * panels_of_batch_, (rows + panel_rows - 1) / panel_rows, rows,
          index * processes_ / batches_};
}

PackedRows::PackedRows(const Dataset& data, Engine& engine, std::size_t most_shards) : PackedRows(engine) {
  most_shards_ = most_shards;
  check_sizes(data.all_rows(), data.all_rows());
  if (!data.weights.empty()) check_weights(data);
  features_ = data.features();
  outputs_ = data.outputs;
  lay_out(data.all_rows(), data.all_rows());
  Communicator& processes = engine.processes();
  if (processes.alone()) {
    row_weights_ = data.weights;
    make_room_for_data(!row_weights_.empty());
    pack_own(data);
  } else {
    const bool weighted = sum_over(processes, data.weights.empty() ? 0 : 1) > 0;
    find_own_panels(weighted);
    row_weights_.resize(weighted ? most_panels_ * panel_rows
                                 : 0);  // as memory is reserved: the same everywhere
    make_room_for_data(weighted);
    std::vector<std::size_t> own(own_rows());
    std::iota(own.begin(), own.end(), first_own_row());
    Dataset held = fetch_rows(data, own, processes);
    row_weights_ = std::move(held.weights);
    pack_own(held);
  }
  const double scale = weighted() ? scale_to_mean_one(sum_in_order(row_weights_, processes), rows()) : 0;
  for (const std::size_t panel : own_) {
    set_constant(panel);
    set_weights(
        panel, [first = first_row(panel) - first_own_row()](std::size_t j) { return first + j; },
        row_weights_, scale);
  }
}

PackedRows::PackedRows(const PackedRows& all, std::span<const std::size_t> rows, Engine& engine)
    : PackedRows(engine) {
  for (std::size_t i = 0; all.weighted() && i < rows.size(); ++i)
    row_weights_.push_back(all.row_weights_[rows[i]]);
  memory_.require(all.bytes_for(rows.size()) + row_weights_.size() * sizeof(double));
  pack(all, rows, rows.size());
}

void PackedRows::lay_out(std::size_t rows, std::size_t batch_size) {
  stride_ = panel_stride(std::min(panel_rows, batch_size));
  cuts_ = PanelCuts(rows, batch_size, engine_->processes().size());
}

ShardShares PackedRows::shares(const Rows& batch) const {
  return {.shards = std::min(most_shards_, batch.panels),
          .processes = engine_->processes().size(),
          .home = batch.home,
          .shared = engine_->processes().alone() || batch.panels >= fewest_shared_panels};
}

std::size_t PackedRows::shard_begin(const Rows& batch, std::size_t shard) const {
  return batch.first_panel + shard * batch.panels / std::min(most_shards_, batch.panels);
}

void PackedRows::find_own_panels(bool weighted) {
  weighted_ = weighted;
  own_.clear();
  most_panels_ = 0;
  const std::size_t rank = engine_->processes().rank();
  for (std::size_t process = 0; process < engine_->processes().size(); ++process) {
    std::size_t count = 0;
    for (std::size_t index = 0; index < batches(); ++index) {
      const Rows of = batch(index);
      const ShardShares of_batch = shares(of);
      const std::size_t begin = shard_begin(of, of_batch.begin(process));
      const std::size_t end = shard_begin(of, of_batch.end(process));
      count += end - begin;
      if (process == rank)
        for (std::size_t p = begin; p < end; ++p) own_.push_back(p);
    }
    most_panels_ = std::max(most_panels_, count);
  }
}

void PackedRows::make_room_for_panels(bool weighted) {
  find_own_panels(weighted);
  // All processes reserve what the one with most panels needs, so that the same is left everywhere. A minibatch is small, and may
  // take more than is left where caches were first.
  const std::size_t numbers = features_ + 1 + outputs_ + (weighted ? 1 : 0);
  const std::size_t bytes = (most_panels_ * numbers * stride_ + row_weights_.size()) * sizeof(double);
  if (engine_->processes().alone())
    static_cast<void>(memory_.grow_to(bytes));
  else
    memory_.require(bytes);
  make_room(inputs_, own_.size() * (features_ + 1) * stride_);
  make_room(targets_, own_.size() * outputs_ * stride_);
  weights_.assign(weighted ? own_.size() * stride_ : 0, 0.0);
}

// Of one process: in the memory that is left, or else in less.
void PackedRows::make_room_for_data(bool weighted) {
  find_own_panels(weighted);
  const std::size_t others =  // targets and weights, which stay doubles
      (most_panels_ * (outputs_ + (weighted ? 1 : 0)) * stride_ + row_weights_.size()) * sizeof(double);
  const std::size_t doubles = most_panels_ * (features_ + 1) * stride_ * sizeof(double);
  const std::size_t singles = most_panels_ * features_ * panel_rows * sizeof(float);
  const MemoryBudget& budget = engine_->memory();
  const auto fits = [&](std::size_t bytes) {  // and leaves something for minibatches
    return bytes <= budget.left() && budget.left() - bytes >= budget.bytes() / 16 && memory_.grow_to(bytes);
  };
  if (!engine_->processes().alone() || fits(others + doubles)) return make_room_for_panels(weighted);
  storage_ = fits(others + singles) ? Storage::singles : Storage::disk;
  if (storage_ == Storage::disk) memory_.require(others);
  const std::size_t numbers = singles / sizeof(float);
  using Singles = decltype(singles_);
  singles_ = storage_ == Storage::disk ? Singles(MappedBytes::scratch(singles), numbers) : Singles(numbers);
  make_room(targets_, own_.size() * outputs_ * stride_);
  weights_.assign(weighted ? own_.size() * stride_ : 0, 0.0);
}

std::size_t PackedRows::bytes_for(std::size_t rows) const {
  const std::size_t numbers = features_ + 1 + outputs_ + (weighted() ? 1 : 0);
  return (rows + panel_rows - 1) / panel_rows * panel_stride(panel_rows) * numbers * sizeof(double);
}

std::size_t PackedRows::own_rows() const {
  return own_.empty() ? 0 : first_row(own_.back()) + samples(own_.back()) - first_own_row();
}

RowOrder PackedRows::order() const {
  return engine_->processes().alone() ? RowOrder(rows()) : RowOrder(rows(), first_own_row(), own_rows());
}

Matrix PackedRows::input_panel(std::size_t index, std::size_t samples) {
  return {inputs_.data() + index * (features_ + 1) * stride_, features_, padded(samples), stride_};
}

Matrix PackedRows::target_panel(std::size_t index, std::size_t samples) {
  return {targets_.data() + index * outputs_ * stride_, outputs_, padded(samples), stride_};
}

std::span<const float> PackedRows::singles_of(std::size_t panel) const {
  return {std::as_const(singles_).data() + panel * features_ * panel_rows, features_ * panel_rows};
}

// The panel at a place among this process's panels, from consecutive rows.
void PackedRows::write_panel(const Dataset& data, std::size_t first, std::size_t index, Vector& scratch) {
  const std::size_t count = samples(own_[index]);
  if (storage_ == Storage::doubles) {
    const Matrix in = input_panel(index, count);
    data.write_feature_panel(first, count, in);
    for (std::size_t f = 0; f < features_; ++f) std::ranges::fill(in.row(f).subspan(count), 0);
  } else {
    scratch.assign(features_ * panel_rows, 0);
    const Matrix in(scratch.data(), features_, panel_rows);
    data.write_feature_panel(first, count, in);
    float* to = singles_.data() + index * features_ * panel_rows;
    for (std::size_t j = 0; j < panel_rows; ++j)
      for (std::size_t f = 0; f < features_; ++f) *to++ = static_cast<float>(in(f, j));
  }
  const auto row_of = [first](std::size_t j) { return first + j; };
  gather(data.y(), count, row_of, target_panel(index, count));
}

// `data` has the rows of this process's panels, one panel after the other. What is on the disk, there or here, is used part
// after part, and never all in memory.
void PackedRows::pack_own(const Dataset& data) {
  constexpr std::size_t panels_of_a_part = 1024;
  std::vector<std::size_t> firsts(own_.size() + 1);
  for (std::size_t i = 0; i < own_.size(); ++i) firsts[i + 1] = firsts[i] + samples(own_[i]);
  std::vector<Vector> scratch(engine_->threads().threads());
  for (std::size_t part = 0; part < own_.size(); part += panels_of_a_part) {
    const std::size_t panels = std::min(panels_of_a_part, own_.size() - part);
    engine_->threads().run(panels, [&](std::size_t i, std::size_t worker) {
      write_panel(data, firsts[part + i], part + i, scratch[worker]);
    });
    for (std::size_t c = 0; c < data.columns(); ++c)
      data.inputs.release(c * data.rows + firsts[part], firsts[part + panels] - firsts[part]);
    singles_.release(part * features_ * panel_rows, panels * features_ * panel_rows);
  }
}

void PackedRows::make_ready(const PackedRows& all, std::size_t rows, std::size_t batch_size,
                            double weight_scale) {
  check_sizes(rows, batch_size);
  features_ = all.features_;
  outputs_ = all.outputs_;
  most_shards_ = all.most_shards_;
  lay_out(rows, batch_size);
  make_room_for_panels(weight_scale > 0);
}

// What was read stays in the memory of this process until it is a good part of what is allowed.
void PackedRows::count_use(std::size_t bytes) const {
  if (storage_ != Storage::disk) return;
  constexpr std::size_t least = std::size_t{16} << 20U;
  if (used_.fetch_add(bytes) + bytes < std::max(least, engine_->memory().bytes() / 8)) return;
  used_ = 0;
  singles_.release();
}

std::span<const double> PackedRows::weights(std::size_t panel) const {
  if (!weighted_) return {};
  return {weights_.data() + slot(panel) * stride_, padded(samples(panel))};
}

ConstMatrix PackedRows::inputs(std::size_t panel, Vector& scratch) const {
  if (storage_ == Storage::doubles)
    return {inputs_.data() + slot(panel) * (features_ + 1) * stride_, features_ + 1, padded(samples(panel)),
            stride_};
  const std::span<const float> from = singles_of(panel);
  scratch.resize((features_ + 1) * stride_);
  const Matrix to(scratch.data(), features_ + 1, padded(samples(panel)), stride_);
  for (std::size_t f = 0; f < features_; ++f)
    for (std::size_t j = 0; j < to.columns(); ++j) to(f, j) = from[j * features_ + f];
  set_constant_feature(to, samples(panel));
  count_use(from.size_bytes());
  return to;
}

Vector PackedRows::target_rows(std::size_t panel) const {
  Vector rows(samples(panel) * outputs_);
  for (std::size_t j = 0; j < samples(panel); ++j)
    for (std::size_t o = 0; o < outputs_; ++o) rows[j * outputs_ + o] = targets(panel)(o, j);
  return rows;
}

ConstMatrix PackedRows::targets(std::size_t panel) const {
  return {targets_.data() + slot(panel) * outputs_ * stride_, outputs_, padded(samples(panel)), stride_};
}

}  // namespace strata
