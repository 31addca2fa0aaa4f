#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "strata/core/fields.h"
#include "strata/core/stop_reason.h"
#include "strata/solvers/smooth_function.h"

namespace strata {

// How the next trial step is found.
enum class LineSearch {
  bracket,       // WolfeBracket
  more_thuente,  // MoreThuente, with the constants of L-BFGS-B, to take the very steps that it takes
};
constexpr auto names_of(LineSearch) { return std::to_array<std::string_view>({"bracket", "more_thuente"}); }

struct WolfeOptions {
  double decrease = 1e-4;
  double curvature = 0.9;
  int max_trials = 20;
  LineSearch line_search = LineSearch::bracket;

  static constexpr std::string_view kind = "wolfe";
  void fields(auto& list) {
    list("decrease", decrease, positive.smaller_than(curvature), "c1 in f(x + a d) <= f(x) + c1 a g'd",
         "sufficient-decrease");
    list("curvature", curvature, larger_than(decrease).smaller_than(1), "c2 in |g(x + a d)'d| <= c2 |g'd|");
    list("max_trials", max_trials, at_least(1), "evaluations in one line search");
    list("line_search", line_search, "how the line search finds its next trial", "line-search");
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

enum class LineVerdict { refused, better, accepted };

// The scalar half of the search: which trials are refused, and which step comes next. It keeps the best point so far
// (`low`, which has sufficient decrease) and, once known, the other end of an interval that holds acceptable steps
// (`high`). Algorithms 3.5 and 3.6 of Nocedal & Wright in one loop: while there is no `high` the step grows.
class WolfeBracket {
 public:
  WolfeBracket(const LinePoint& start, const WolfeOptions& options)
      : options_(options), start_(start), low_(start), previous_(start) {}

  LineVerdict judge(const LinePoint& trial);
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

// The same half after More & Thuente (ACM TOMS 20, 1994). `low` has the lowest value so far, `other` is the other end of the
// interval. Until a trial has sufficient decrease and a slope that is not negative, the search is for a minimum of
// psi(a) = phi(a) - c1 a phi'(0) (their first stage), which makes the Wolfe conditions reachable.
class MoreThuente {
 public:
  MoreThuente(const LinePoint& start, const WolfeOptions& options)
      : options_(options), start_(start), low_(start), other_(start) {}

  LineVerdict judge(const LinePoint& trial);
  [[nodiscard]] double next_step() const { return step_; }

  [[nodiscard]] const LinePoint& low() const { return low_; }
  [[nodiscard]] bool met_non_finite() const { return ceiling_ < longest; }
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  static constexpr double longest = 1e10;

  double proposal(const LinePoint& low, const LinePoint& other, const LinePoint& trial);
  void limit_next_step();

  WolfeOptions options_;
  LinePoint start_, low_, other_;
  double step_ = 0;              // the next trial
  double ceiling_ = longest;     // values from here on are not finite
  double least_ = 0, most_ = 0;  // bounds of the next trial
  double width_ = longest, width_before_ = 2 * longest;
  bool bracketed_ = false;
  bool first_stage_ = true;
  bool exhausted_ = false;
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

// No step, a step with a decrease alone, or (accepted) a step with both conditions.
void conclude(const LinePoint& low, bool met_non_finite, bool accepted, const Sample& start,
              WolfeResult& out);

template <class Search, SmoothFunction F>
void search_line(F& f, const Sample& start, std::span<const double> direction, double first_step,
                 const WolfeOptions& options, WolfeSpace& space, WolfeResult& out) {
  const LinePoint origin{0, start.value, dot(start.gradient, direction)};
  Search search(origin, options);
  bool accepted = false;
  double step = first_step;
  out.trials = 0;
  while (origin.finite() && origin.slope < 0 && out.trials < options.max_trials && !search.exhausted()) {
    const LinePoint trial = sample_along(f, start, direction, step, space.trial);
    ++out.trials;
    const LineVerdict verdict = search.judge(trial);
    if (verdict != LineVerdict::refused) std::swap(out.point, space.trial);
    accepted = verdict == LineVerdict::accepted;
    if (accepted) break;
    step = search.next_step();
  }
  conclude(search.low(), search.met_non_finite(), accepted, start, out);
}

}  // namespace detail

// Strong Wolfe conditions. A trial whose value or gradient is not finite is refused and the step shrinks.
// When trials run out, the best point found is returned (reason max_evaluations), if its value is lower at all; with
// the bracket it has sufficient decrease. The value never increases.
template <SmoothFunction F>
void wolfe(F& f, const Sample& start, std::span<const double> direction, double first_step,
           const WolfeOptions& options, WolfeSpace& space, WolfeResult& out) {
  check(options);
  detail::prepare(start.x.size(), space.trial);  // the two change places: both need the room
  detail::prepare(start.x.size(), out.point);
  if (options.line_search == LineSearch::bracket)
    detail::search_line<WolfeBracket>(f, start, direction, first_step, options, space, out);
  else
    detail::search_line<MoreThuente>(f, start, direction, first_step, options, space, out);
}

}  // namespace strata
