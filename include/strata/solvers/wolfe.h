#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "strata/core/fields.h"
#include "strata/core/stop_reason.h"
#include "strata/solvers/smooth_function.h"

namespace strata {

struct WolfeOptions {
  double decrease = 1e-4;
  double curvature = 0.9;
  int max_trials = 20;

  static constexpr std::string_view kind = "wolfe";
  void fields(auto& list) {
    list("decrease", decrease, positive.smaller_than(curvature), "c1 in f(x + a d) <= f(x) + c1 a g'd");
    list("curvature", curvature, larger_than(decrease).smaller_than(1), "c2 in |g(x + a d)'d| <= c2 |g'd|");
    list("max_trials", max_trials, at_least(1), "evaluations in one line search");
  }
};

// After a failure the step is 0 and the point is the start.
struct WolfeResult {
  StopReason reason = StopReason::line_search_failed;
  std::string_view message;
  double step = 0;
  Sample point;
  int trials = 0;  // evaluations, each with its gradient
};

struct WolfeSpace {
  Sample trial;
};

// phi(step) = f(x + step d): its value and its slope.
struct LinePoint {
  double step = 0;
  double value = 0;
  double slope = 0;

  [[nodiscard]] bool finite() const;
};

// The scalar half of the search: which trials are refused, and which step comes next. It keeps the best point
// so far
// (`low`, which has sufficient decrease) and, once known, the other end of an interval that holds acceptable
// steps
// (`high`). Algorithms 3.5 and 3.6 of Nocedal & Wright in one loop: while there is no `high` the step grows.
class WolfeBracket {
 public:
  WolfeBracket(const LinePoint& start, const WolfeOptions& options)
      : options_(options), start_(start), low_(start), previous_(start) {}

  enum class Verdict { refused, better, accepted };
  Verdict judge(const LinePoint& trial);
  double next_step();

  [[nodiscard]] const LinePoint& low() const { return low_; }
  [[nodiscard]] bool met_non_finite() const { return high_ && !high_->finite(); }
  [[nodiscard]] bool exhausted() const;  // the interval is no wider than rounding

 private:
  [[nodiscard]] double grown() const;
  [[nodiscard]] double interpolated() const;

  WolfeOptions options_;
  LinePoint start_, low_, previous_;
  std::optional<LinePoint> high_;
  double width_ = 0, width_before_ = 0;  // of the interval, one and two trials ago
};

namespace detail {

inline void prepare(std::size_t size, Sample& sample) {
  sample.x.resize(size);
  sample.gradient.resize(size);
}

template <SmoothFunction F>
LinePoint sample_along(F& f, const Sample& start, std::span<const double> direction, double step,
                       Sample& out) {
  step_to(out.x, start.x, step, direction);
  out.value = f.value_and_gradient(out.x, out.gradient);
  return {step, out.value, dot(out.gradient, direction)};
}

// No step, a step with sufficient decrease alone, or (accepted) a step with both conditions.
void conclude(const WolfeBracket& bracket, bool accepted, const Sample& start, WolfeResult& out);

}  // namespace detail

// Strong Wolfe conditions. A trial whose value or gradient is not finite is refused and the step shrinks.
// When trials run out, the best point with sufficient decrease is returned (reason max_evaluations), if its
// value is lower at all. The value never increases.
template <SmoothFunction F>
void wolfe(F& f, const Sample& start, std::span<const double> direction, double first_step,
           const WolfeOptions& options, WolfeSpace& space, WolfeResult& out) {
  check(options);
  detail::prepare(start.x.size(), space.trial);  // the two change places: both need the room
  detail::prepare(start.x.size(), out.point);
  const LinePoint origin{0, start.value, dot(start.gradient, direction)};
  WolfeBracket bracket(origin, options);
  bool accepted = false;
  double step = first_step;
  out.trials = 0;
  while (origin.finite() && origin.slope < 0 && out.trials < options.max_trials && !bracket.exhausted()) {
    const LinePoint trial = detail::sample_along(f, start, direction, step, space.trial);
    ++out.trials;
    const auto verdict = bracket.judge(trial);
    if (verdict != WolfeBracket::Verdict::refused) std::swap(out.point, space.trial);
    accepted = verdict == WolfeBracket::Verdict::accepted;
    if (accepted) break;
    step = bracket.next_step();
  }
  detail::conclude(bracket, accepted, start, out);
}

}  // namespace strata
