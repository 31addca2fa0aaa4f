#include "strata/objective/packed_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/panel.h"
#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

constexpr std::size_t rows_ahead = 4;  // of the row that is gathered, are those asked for already

void check_weights(const Dataset& data) {
  if (data.weights.size() != data.rows)
    throw InvalidOption("weights", fmt::format("{} numbers", data.weights.size()),
                        fmt::format("the data have {} rows; give one weight for each, or none", data.rows));
  for (std::size_t row = 0; row < data.rows; ++row)
    if (!(data.weights[row] >= 0) || std::isinf(data.weights[row]))
      throw InvalidOption("weights", fmt::format("{}", data.weights[row]),
                          fmt::format("give row {} a finite weight, 0 or more", row + 1));
}

// The sum of numbers that processes hold one behind the other, rounded as one process that has all of them rounds it.
double sum_in_order(std::span<const double> numbers, Communicator& processes) {
  double sum = 0;
  const auto bytes = std::as_writable_bytes(std::span(&sum, 1));
  if (processes.rank() > 0) processes.receive(processes.rank() - 1, bytes);
  for (const double number : numbers) sum += number;
  if (processes.rank() + 1 < processes.size()) processes.send(processes.rank() + 1, bytes);
  return broadcast_value(processes, sum, processes.size() - 1);
}

double scale_to_mean_one(double sum, std::size_t rows) {
  const double scale = static_cast<double>(rows) / sum;
  if (!(scale > 0) || std::isinf(scale))
    throw InvalidOption("weights", fmt::format("a sum of {}", sum),
                        "give some rows a positive weight of moderate size");
  return scale;
}

void check_sizes(std::size_t rows, std::size_t batch_size) {
  if (rows == 0) throw InvalidOption("rows", "0", "a data set needs at least one row");
  if (batch_size == 0) throw InvalidOption("batch", "0", "a batch needs at least one row");
}

// Zeros behind the samples.
void clear_padding(Matrix inputs, Matrix targets, std::size_t samples) {
  for (const Matrix panel : {inputs, targets})
    for (std::size_t f = 0; f < panel.rows(); ++f) std::ranges::fill(panel.row(f).subspan(samples), 0);
}

}  // namespace

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
    find_slots(weighted);
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
        panel, [first = starts_[panel] - first_own_row()](std::size_t j) { return first + j; }, row_weights_,
        scale);
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
  batch_size_ = batch_size;
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
  return {.shards = std::min(most_shards_, batch.panels),
          .processes = engine_->processes().size(),
          .home = batch.home,
          .shared = engine_->processes().alone() || batch.panels >= fewest_shared_panels};
}

std::size_t PackedRows::shard_begin(const Rows& batch, std::size_t shard) const {
  return batch.first_panel + shard * batch.panels / std::min(most_shards_, batch.panels);
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

void PackedRows::find_slots(bool weighted) {
  weighted_ = weighted;
  find_own_panels();
  slots_.clear();
  if (engine_->processes().alone()) return;
  slots_.assign(samples_.size(), own_.size());
  for (std::size_t i = 0; i < own_.size(); ++i) slots_[own_[i]] = i;
}

void PackedRows::make_room_for_panels(bool weighted) {
  find_slots(weighted);
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
  find_slots(weighted);
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

double PackedRows::weight_scale(std::span<const std::size_t> order) const {
  if (!weighted()) return 0;
  double sum = 0;
  for (const std::size_t row : order) sum += row_weights_[row];
  return scale_to_mean_one(sum, order.size());
}

double PackedRows::weight_scale(const RowOrder& order) const {
  if (!weighted()) return 0;
  Communicator& processes = engine_->processes();
  if (processes.alone()) {
    double sum = 0;
    for (std::size_t place = 0; place < rows(); ++place) sum += row_weights_[order[place]];
    return scale_to_mean_one(sum, rows());
  }
  // Each process gets the weights of an even part of the places.
  struct Placed {
    std::size_t place;
    double weight;
  };
  std::vector<std::vector<Placed>> parts(processes.size());
  for (std::size_t i = 0; i < row_weights_.size(); ++i)
    parts[((order[i] + 1) * processes.size() - 1) / rows()].push_back({order[i], row_weights_[i]});
  const std::size_t begin = processes.rank() * rows() / processes.size();
  Vector own((processes.rank() + 1) * rows() / processes.size() - begin);
  for (const auto& part : all_to_all(processes, std::move(parts)))
    for (const auto& [place, weight] : part) own[place - begin] = weight;
  return scale_to_mean_one(sum_in_order(own, processes), rows());
}

std::size_t PackedRows::own_rows() const {
  return own_.empty() ? 0 : starts_[own_.back()] + samples_[own_.back()] - first_own_row();
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
  const std::size_t count = samples_[own_[index]];
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
  for (std::size_t i = 0; i < own_.size(); ++i) firsts[i + 1] = firsts[i] + samples_[own_[i]];
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

// What a panel has beside the numbers of its rows.
void PackedRows::set_constant(std::size_t panel) {
  if (storage_ != Storage::doubles) return;
  set_constant_feature({inputs_.data() + slot(panel) * (features_ + 1) * stride_, features_ + 1,
                        padded(samples_[panel]), stride_},
                       samples_[panel]);
}

template <class RowOf>
void PackedRows::set_weights(std::size_t panel, const RowOf& row_of, const Vector& row_weights,
                             double scale) {
  for (std::size_t j = 0; weighted_ && j < samples_[panel]; ++j)
    weights_[slot(panel) * stride_ + j] = scale * row_weights[row_of(j)];
}

// --- Single rows of a packing of all rows in their order; these are most of what a minibatch costs

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

void PackedRows::make_ready(const PackedRows& all, std::size_t rows, std::size_t batch_size,
                            double weight_scale) {
  check_sizes(rows, batch_size);
  features_ = all.features_;
  outputs_ = all.outputs_;
  most_shards_ = all.most_shards_;
  lay_out(rows, batch_size);
  make_room_for_panels(weight_scale > 0);
}

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
    const std::size_t samples = samples_[panel];
    const auto row_of = [&, first = starts_[panel]](std::size_t j) { return row_at(first + j); };
    const Matrix in = input_panel(panel, samples);
    const Matrix out = target_panel(panel, samples);
    for (std::size_t j = 0; j < samples; ++j) {
      if (j + rows_ahead < samples) all.expect(row_of(j + rows_ahead));
      all.copy_row(row_of(j), in, out, j);
    }
    clear_padding(in, out, samples);
    set_constant(panel);
    set_weights(panel, row_of, all.row_weights_, weight_scale);
  });
}

// What was read stays in the memory of this process until it is a good part of what is allowed.
void PackedRows::count_use(std::size_t bytes) const {
  if (storage_ != Storage::disk) return;
  constexpr std::size_t least = std::size_t{16} << 20U;
  if (used_.fetch_add(bytes) + bytes < std::max(least, engine_->memory().bytes() / 8)) return;
  used_ = 0;
  singles_.release();
}

// --- Where processes share the rows

std::size_t PackedRows::panel_of(std::size_t place) const {
  return batches_[place / batch_size_].first_panel + place % batch_size_ / panel_rows;
}

// The process that computes the row at a place.
std::size_t PackedRows::owner(std::size_t place) const {
  const Rows& batch = batches_[place / batch_size_];
  const ShardShares of_batch = shares(batch);
  return of_batch.owner(((panel_of(place) - batch.first_panel + 1) * of_batch.shards - 1) / batch.panels);
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
      const std::size_t panel = panel_of(place);
      const std::size_t at = slot(panel);
      const std::size_t column = place % batch_size_ % panel_rows;
      const Matrix in = input_panel(at, samples_[panel]);
      const Matrix out = target_panel(at, samples_[panel]);
      for (std::size_t f = 0; f < features_; ++f) in(f, column) = *from++;
      for (std::size_t o = 0; o < outputs_; ++o) out(o, column) = *from++;
      if (weighted_) weights_[at * stride_ + column] = *from++;
    }
  }
  for (const std::size_t panel : own_) {
    clear_padding(input_panel(slot(panel), samples_[panel]), target_panel(slot(panel), samples_[panel]),
                  samples_[panel]);
    set_constant(panel);
  }
}

std::span<const double> PackedRows::weights(std::size_t panel) const {
  if (!weighted_) return {};
  return {weights_.data() + slot(panel) * stride_, padded(samples_[panel])};
}

ConstMatrix PackedRows::inputs(std::size_t panel, Vector& scratch) const {
  if (storage_ == Storage::doubles)
    return {inputs_.data() + slot(panel) * (features_ + 1) * stride_, features_ + 1, padded(samples_[panel]),
            stride_};
  const std::span<const float> from = singles_of(panel);
  scratch.resize((features_ + 1) * stride_);
  const Matrix to(scratch.data(), features_ + 1, padded(samples_[panel]), stride_);
  for (std::size_t f = 0; f < features_; ++f)
    for (std::size_t j = 0; j < to.columns(); ++j) to(f, j) = from[j * features_ + f];
  set_constant_feature(to, samples_[panel]);
  count_use(from.size_bytes());
  return to;
}

Vector PackedRows::target_rows(std::size_t panel) const {
  Vector rows(samples_[panel] * outputs_);
  for (std::size_t j = 0; j < samples_[panel]; ++j)
    for (std::size_t o = 0; o < outputs_; ++o) rows[j * outputs_ + o] = targets(panel)(o, j);
  return rows;
}

ConstMatrix PackedRows::targets(std::size_t panel) const {
  return {targets_.data() + slot(panel) * outputs_ * stride_, outputs_, padded(samples_[panel]), stride_};
}

}  // namespace strata
