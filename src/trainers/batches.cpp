#include "strata/trainers/batches.h"

#include <algorithm>
#include <numeric>

#include "strata/core/errors.h"

namespace strata {

Batches::Batches(const Dataset& data, const BatchOptions& options, RandomStream stream, Engine& engine)
    : data_(&data),
      options_(options),
      size_(options.size == 0 ? data.all_rows() : std::min(options.size, data.all_rows())),
      stream_(stream),
      packed_(data, engine),
      rows_(data.all_rows()) {
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  if (!whole()) cut();
}

void Batches::cut() {
  packed_.pack(*data_, rows_, size_);
  order_.resize(packed_.batches());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (options_.skip_short && order_.size() > 1 && packed_.batch(order_.size() - 1).rows < size_ / 2)
    order_.pop_back();
  stale_ = false;
}

void Batches::grow(std::size_t size) {
  const std::size_t wanted = std::min(std::max(size, size_), data_->all_rows());
  stale_ = stale_ || wanted != size_;
  size_ = wanted;
}

const std::vector<std::size_t>& Batches::begin_epoch() {
  const bool shuffle = options_.partition == Partition::every_epoch && !whole();
  if (shuffle) stream_.shuffle(std::span(rows_));
  if (shuffle || stale_ || order_.empty()) cut();
  if (options_.order == BatchOrder::without_replacement) stream_.shuffle(std::span(order_));
  if (options_.order == BatchOrder::stochastic)
    for (std::size_t& index : order_) index = stream_.below(packed_.batches());
  return order_;
}

void Batches::save(State& state) const {
  state.put("size", size_);
  state.put("cut_size", packed_.batch(0).rows);
  state.put("stale", stale_);
  state.put("stream", stream_);
  state.put("rows", rows_);
  state.put("order", order_);
}

void Batches::restore(const State& state) {
  std::size_t cut_size = 0;
  state.get("size", size_);
  state.get("cut_size", cut_size);
  state.get("stale", stale_);
  state.get("stream", stream_);
  state.get("rows", rows_);
  state.get("order", order_);
  std::vector<std::size_t> sorted(rows_);
  std::sort(sorted.begin(), sorted.end());
  bool sound =
      rows_.size() == data_->all_rows() && cut_size > 0 && size_ >= cut_size && size_ <= data_->all_rows();
  for (std::size_t i = 0; i < sorted.size(); ++i) sound = sound && sorted[i] == i;
  if (sound) packed_.pack(*data_, rows_, cut_size);
  for (const std::size_t index : order_) sound = sound && index < packed_.batches();
  if (!sound)
    throw Error("the saved state has an order of rows or batches that does not fit the data: it is damaged");
}

}  // namespace strata
