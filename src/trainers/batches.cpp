#include "strata/trainers/batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "strata/core/errors.h"

namespace strata {

Batches::Batches(const PackedRows& all, const BatchOptions& options, RandomStream stream)
    : all_(&all),
      options_(options),
      size_(options.size == 0 ? all.rows() : std::min(options.size, all.rows())),
      in_one_(whole()),
      cut_size_(size_),
      stream_(stream),
      epoch_(all.engine()),
      rows_(all.rows()) {
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  if (!whole()) cut();
}

void Batches::cut() {
  cut_size_ = size_;
  exchange();
  order_.resize(count());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const std::size_t last = rows_left(order_.size() - 1);
  if (options_.skip_short && order_.size() > 1 && last < size_ / 2) order_.pop_back();
  stale_ = false;
}

void Batches::exchange() {
  if (in_one_) return;
  weight_scale_ = all_->weight_scale(rows_);
  if (!all_->engine().processes().alone())
    epoch_.pack(*all_, std::span(rows_).subspan(done_), cut_size_, weight_scale_);
}

PackedBatch Batches::load(std::size_t index, PackedRows& into) const {
  if (in_one_) return {*all_, all_->all()};
  if (!all_->engine().processes().alone()) return {epoch_, epoch_.batch(index)};
  const std::size_t first = done_ + index * cut_size_;
  const std::size_t rows = std::min(cut_size_, rows_.size() - first);
  into.pack(*all_, std::span(rows_).subspan(first, rows), cut_size_, weight_scale_);
  return {into, into.all()};
}

void Batches::grow(std::size_t size) {
  const std::size_t wanted = std::min(std::max(size, size_), all_->rows());
  // Twice, because a method may look at the next batch while it has one; and inputs of half the size where these are rounded.
  const std::size_t copies = options_.precision == Precision::float32 ? 3 : 2;
  if (all_->engine().processes().alone() && copies * all_->bytes_for(wanted) > all_->engine().memory().left())
    return;
  stale_ = stale_ || wanted != size_;
  size_ = wanted;
}

bool Batches::cut_rest(std::size_t batches) {
  if (!stale_ || rows_left(batches) == 0) return false;
  done_ += batches * cut_size_;
  cut();
  return true;
}

double Batches::fraction_done(std::size_t batches) const {
  const double before = static_cast<double>(done_) / static_cast<double>(rows_.size());
  return before + (1 - before) * static_cast<double>(batches) / static_cast<double>(count());
}

const std::vector<std::size_t>& Batches::begin_epoch() {
  stale_ = stale_ || std::exchange(done_, 0) > 0;
  const bool shuffle = options_.partition == Partition::every_epoch && !whole();
  if (shuffle) stream_.shuffle(std::span(rows_));
  if (shuffle || stale_ || order_.empty()) cut();
  if (options_.order == BatchOrder::without_replacement) stream_.shuffle(std::span(order_));
  if (options_.order == BatchOrder::stochastic)
    for (std::size_t& index : order_) index = stream_.below(count());
  return order_;
}

void Batches::save(State& state) const {
  state.put("size", size_);
  state.put("cut_size", cut_size_);
  state.put("stale", stale_);
  state.put("done", done_);
  state.put("stream", stream_);
  state.put("rows", rows_);
  state.put("order", order_);
}

void Batches::restore(const State& state) {
  state.get("size", size_);
  state.get("cut_size", cut_size_);
  state.get("stale", stale_);
  state.get("done", done_);
  state.get("stream", stream_);
  state.get("rows", rows_);
  state.get("order", order_);
  std::vector<std::size_t> sorted(rows_);
  std::sort(sorted.begin(), sorted.end());
  bool sound = rows_.size() == all_->rows() && done_ < rows_.size() && cut_size_ > 0 && size_ >= cut_size_ &&
               size_ <= all_->rows();
  for (std::size_t i = 0; i < sorted.size(); ++i) sound = sound && sorted[i] == i;
  for (const std::size_t index : order_) sound = sound && index < count();
  if (!sound)
    throw Error("the saved state has an order of rows or batches that does not fit the data: it is damaged");
  exchange();
}

}  // namespace strata
