#include "strata/objective/row_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "strata/core/errors.h"

namespace strata {

namespace {

constexpr std::size_t numbers_of_a_run = std::tuple_size_v<RandomStream::State> + 1;

// Some items of a Fisher-Yates shuffle of very many, found by their places: a bit for each place tells whether one of them is
// there, a table with open addressing which one.
template <class T>
class FollowedItems {
 public:
  FollowedItems(std::size_t count, std::span<T> places)
      : count_(count),
        places_(places),
        taken_((count + 63) / 64),
        table_(std::bit_ceil(places.size() + places.size() / 2 + 2)),
        mask_(table_.size() - 1) {
    for (std::size_t item = 0; item < places.size(); ++item) put(places[item], static_cast<T>(item));
  }

  // In steps of some draws, so that what they need is on its way from the memory.
  void shuffle(RandomStream& stream) {
    std::array<std::size_t, 32> drawn{};
    for (std::size_t left = count_; left > 1;) {
      const std::size_t steps = std::min(drawn.size(), left - 1);
      for (std::size_t k = 0; k < steps; ++k) {
        drawn[k] = stream.below(left - k);
        __builtin_prefetch(&taken_[drawn[k] / 64], 1);
      }
      for (std::size_t k = 0; k < steps; ++k)
        for (const std::size_t place : {drawn[k], left - 1 - k})
          if (is_taken(place)) __builtin_prefetch(&table_[home(place)], 1);
      for (std::size_t k = 0; k < steps; ++k, --left) swap_with_last(left - 1, drawn[k]);
    }
    if (is_taken(0)) places_[take(0)] = 0;
  }

 private:
  static constexpr T nobody = std::numeric_limits<T>::max();
  struct Entry {
    T place = 0;
    T item = nobody;
  };

  // What comes to the last place stays there.
  void swap_with_last(std::size_t last, std::size_t drawn) {
    const T from_last = is_taken(last) ? take(last) : nobody;
    const T to_last = drawn == last ? from_last : is_taken(drawn) ? take(drawn) : nobody;
    if (to_last != nobody) places_[to_last] = static_cast<T>(last);
    if (from_last != nobody && drawn != last) put(drawn, from_last);
  }

  [[nodiscard]] bool is_taken(std::size_t place) const {
    return ((taken_[place / 64] >> (place % 64)) & 1U) != 0;
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & mask_; }
  [[nodiscard]] std::size_t home(std::size_t place) const {
    return ((place * std::uint64_t{0x9e3779b97f4a7c15U}) >> 32U) & mask_;
  }
  [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const { return (to - from) & mask_; }

  void put(std::size_t place, T item) {
    std::size_t at = home(place);
    while (table_[at].item != nobody) at = next(at);
    table_[at] = {static_cast<T>(place), item};
    taken_[place / 64] |= std::uint64_t{1} << (place % 64);
  }

  // Those behind it move up, so that every item is found from its home on without a gap.
  T take(std::size_t place) {
    std::size_t gap = home(place);
    while (table_[gap].place != place) gap = next(gap);
    const T item = table_[gap].item;
    for (std::size_t at = next(gap); table_[at].item != nobody; at = next(at)) {
      if (distance(home(table_[at].place), at) < distance(gap, at)) continue;
      table_[gap] = table_[at];
      gap = at;
    }
    table_[gap] = {};
    taken_[place / 64] &= ~(std::uint64_t{1} << (place % 64));
    return item;
  }

  std::size_t count_;
  std::span<T> places_;  // of every item, once it stays
  std::vector<std::uint64_t> taken_;
  std::vector<Entry> table_;  // its size is a power of two
  std::size_t mask_;
};

}  // namespace

void RowOrder::reorder(RandomStream& stream) {
  const auto in = [&]<class T>(std::vector<T>& held) {
    if (held.empty()) {
      held.resize(own_);
      std::iota(held.begin(), held.end(), static_cast<T>(first_own_));
    }
    if (alone_)
      stream.shuffle(std::span(held));
    else
      FollowedItems<T>(rows_, held).shuffle(stream);
  };
  if (rows_ <= std::numeric_limits<std::uint32_t>::max())
    in(narrow_);
  else
    in(wide_);
}

void RowOrder::shuffle(RandomStream& stream) {
  if (shuffles_.empty() || stream.state() != after_) {
    shuffles_.insert(shuffles_.end(), stream.state().begin(), stream.state().end());
    shuffles_.push_back(0);
  }
  ++shuffles_.back();
  reorder(stream);
  after_ = stream.state();
}

void RowOrder::restore(const State& state, std::size_t most_shuffles) {
  state.get("shuffles", shuffles_);
  narrow_.clear();
  wide_.clear();
  bool sound = shuffles_.size() % numbers_of_a_run == 0;
  for (std::size_t i = numbers_of_a_run - 1; sound && i < shuffles_.size(); i += numbers_of_a_run) {
    sound = shuffles_[i] <= most_shuffles;
    if (sound) most_shuffles -= shuffles_[i];
  }
  if (!sound) throw Error("the saved state has shuffles of the rows that cannot be: it is damaged");
  RandomStream stream(0);
  for (auto run = shuffles_.begin(); run != shuffles_.end(); run += numbers_of_a_run) {
    RandomStream::State words{};
    std::copy_n(run, words.size(), words.begin());
    stream.restore(words);
    for (std::uint64_t k = 0; k < run[numbers_of_a_run - 1]; ++k) reorder(stream);
  }
  after_ = stream.state();
}

}  // namespace strata
