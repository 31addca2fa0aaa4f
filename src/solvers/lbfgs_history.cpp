#include "strata/solvers/lbfgs_history.h"

#include <algorithm>
#include <limits>

namespace strata {

void LbfgsHistory::prepare(std::size_t size, std::size_t memory) {
  if (size == size_ && memory + 1 == slots()) return;
  size_ = size;
  pairs_ = next_ = 0;
  s_.resize((memory + 1) * size);
  y_.resize((memory + 1) * size);
  curvature_.resize(memory + 1);
  weight_.resize(memory + 1);
  product_.resize(size);
}

bool LbfgsHistory::push(const Sample& from, const Sample& to) {
  const auto step = s(next_);
  const auto change = y(next_);
  step_to(step, to.x, -1, from.x);
  step_to(change, to.gradient, -1, from.gradient);
  const double curvature = dot(step, change);
  if (!(curvature > std::numeric_limits<double>::epsilon() * squared_norm(change))) return false;

  curvature_[next_] = curvature;
  next_ = (next_ + 1) % slots();
  pairs_ = std::min(pairs_ + 1, slots() - 1);
  return true;
}

// From the oldest pair to the newest: in which slots they lie has no meaning.
void LbfgsHistory::save(State& state) const {
  const auto in_order = [this, &state](std::string_view name, const Vector& values, std::size_t length) {
    Vector ordered;
    for (std::size_t age = pairs_; age-- > 0;) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(slot(age) * length);
      ordered.insert(ordered.end(), first, first + static_cast<std::ptrdiff_t>(length));
    }
    state.put(name, ordered);
  };
  in_order("s", s_, size_);
  in_order("y", y_, size_);
  in_order("curvature", curvature_, 1);
}

void LbfgsHistory::restore(const State& state, std::size_t size, std::size_t memory) {
  prepare(size, memory);
  pairs_ = next_ = std::min(state.numbers("curvature").size(), memory);
  state.get("s", std::span(s_).first(pairs_ * size_));
  state.get("y", std::span(y_).first(pairs_ * size_));
  state.get("curvature", std::span(curvature_).first(pairs_));
}

void LbfgsHistory::to_oldest(std::span<double> direction) {
  for (std::size_t age = 0; age < pairs_; ++age) {
    const std::size_t i = slot(age);
    weight_[i] = dot(s(i), direction) / curvature_[i];
    add_scaled(direction, -weight_[i], y(i));
  }
}

void LbfgsHistory::to_newest(std::span<double> direction) {
  for (std::size_t age = pairs_; age-- > 0;) {
    const std::size_t i = slot(age);
    add_scaled(direction, weight_[i] - dot(y(i), direction) / curvature_[i], s(i));
  }
}

}  // namespace strata
