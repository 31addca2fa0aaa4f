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
      rows_(all.order()) {
  if (in_one_) return;
  weight_scale_ = all.weight_scale(rows_);
  cut();
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
  if (!in_one_ && !all_->engine().processes().alone())
    epoch_.pack(*all_, rows_, done_, all_->rows() - done_, cut_size_, weight_scale_);
}

PackedBatch Batches::load(std::size_t index, PackedRows& into) const {
  if (in_one_) return {*all_, all_->all()};
  if (!all_->engine().processes().alone()) return {epoch_, epoch_.batch(index)};
  const std::size_t first = done_ + index * cut_size_;
  const std::size_t rows = std::min(cut_size_, all_->rows() - first);
  into.pack(*all_, rows_, first, rows, cut_size_, weight_scale_);
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
  const double before = static_cast<double>(done_) / static_cast<double>(all_->rows());
  return before + (1 - before) * static_cast<double>(batches) / static_cast<double>(count());
}

const std::vector<std::size_t>& Batches::begin_epoch() {
  const bool was_cut_inside = std::exchange(done_, 0) > 0;
  stale_ = stale_ || was_cut_inside;
  const bool shuffle = options_.partition == Partition::every_epoch && !whole();
  if (shuffle) {
    rows_.shuffle(stream_);
    weight_scale_ = all_->weight_scale(rows_);
  }
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
  rows_.save(state);
  state.put("order", order_);
}

void Batches::restore(const State& state, std::size_t epochs) {
  state.get("size", size_);
  state.get("cut_size", cut_size_);
  state.get("stale", stale_);
  state.get("done", done_);
  state.get("stream", stream_);
  rows_.restore(state, epochs);
  state.get("order", order_);
  bool sound = done_ < all_->rows() && cut_size_ > 0 && size_ >= cut_size_ && size_ <= all_->rows();
  for (const std::size_t index : order_) sound = sound && index < count();
  if (!sound)
    throw Error("the saved state has an order of batches that does not fit the data: it is damaged");
  if (in_one_) return;
  weight_scale_ = all_->weight_scale(rows_);
  exchange();
}

}  // namespace strata
