#include "strata/solvers/wolfe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

namespace {

// The step where the cubic through two values and two slopes has its minimum (Nocedal & Wright,
// equation 3.59); nothing if it has none. Scaled as in More & Thuente (1994), so that squares do not
// overflow.
std::optional<double> cubic_minimum(const LinePoint& a, const LinePoint& b) {
  const double length = b.step - a.step;
  const double theta = a.slope + b.slope - 3 * (b.value - a.value) / length;
  const double scale = std::max({std::abs(theta), std::abs(a.slope), std::abs(b.slope)});
  const double root = (theta / scale) * (theta / scale) - (a.slope / scale) * (b.slope / scale);
  if (!(root >= 0)) return {};
  const double gamma = std::copysign(scale * std::sqrt(root), length);
  const double denominator = b.slope - a.slope + 2 * gamma;
  const double step = b.step - length * (b.slope + gamma - theta) / denominator;
  if (!std::isfinite(step)) return {};
  return step;
}

}  // namespace

bool LinePoint::finite() const { return std::isfinite(value) && std::isfinite(slope); }

WolfeBracket::Verdict WolfeBracket::judge(const LinePoint& trial) {
  const double enough = start_.value + options_.decrease * trial.step * start_.slope;
  const bool worse = low_.step > 0 && trial.value >= low_.value;
  if (!trial.finite() || trial.value > enough || worse) {
    high_ = trial;
    return Verdict::refused;
  }
  previous_ = low_;
  low_ = trial;
  if (std::abs(trial.slope) <= -options_.curvature * start_.slope) return Verdict::accepted;
  const double towards_high = high_ ? high_->step - previous_.step : 1.0;
  if (trial.slope * towards_high >= 0) high_ = previous_;
  return Verdict::better;
}

double WolfeBracket::next_step() {
  if (!high_) return grown();
  const double width = std::abs(high_->step - low_.step);
  // Two trials that do not take a third off the interval: halve it (More & Thuente).
  const bool slow = width_before_ > 0 && width > 0.66 * width_before_;
  width_before_ = width_;
  width_ = width;
  return slow ? 0.5 * (low_.step + high_->step) : interpolated();
}

// Beyond `low`, where the function still falls: between 1.1 and 4 times the last stride (More & Thuente).
double WolfeBracket::grown() const {
  const double stride = low_.step - previous_.step;
  const double longest = low_.step + 4 * stride;
  const auto minimum = cubic_minimum(previous_, low_);
  if (!minimum || *minimum <= low_.step) return longest;
  return std::clamp(*minimum, low_.step + 1.1 * stride, longest);
}

double WolfeBracket::interpolated() const {
  const double length = high_->step - low_.step;
  if (!high_->finite()) return low_.step + 0.25 * length;  // values tell nothing: shrink
  const double near = low_.step + 0.05 * length;
  const double far = low_.step + 0.95 * length;
  const double step = cubic_minimum(low_, *high_).value_or(0.5 * (near + far));
  return std::clamp(step, std::min(near, far), std::max(near, far));
}

bool WolfeBracket::exhausted() const {
  if (!high_) return !std::isfinite(low_.step);
  const double larger = std::max(low_.step, high_->step);
  return std::abs(high_->step - low_.step) <= 4 * std::numeric_limits<double>::epsilon() * larger;
}

namespace detail {

void conclude(const WolfeBracket& bracket, bool accepted, const Sample& start, WolfeResult& out) {
  const auto say = [&out](StopReason reason, std::string_view message) {
    out.reason = reason;
    out.message = message;
  };
  const LinePoint& low = bracket.low();
  out.step = low.step;
  if (accepted) return say(StopReason::solved, "strong Wolfe conditions");
  if (low.value < start.value)
    return say(StopReason::max_evaluations, "sufficient decrease; the curvature condition was not met");

  out.step = 0;
  out.point = start;
  if (low.step > 0) return say(StopReason::line_search_failed, "the decrease left is below rounding");
  if (!low.finite()) return say(StopReason::non_finite, "the start or the direction is not finite");
  if (low.slope >= 0) return say(StopReason::line_search_failed, "not a direction of descent");
  if (bracket.met_non_finite())
    return say(StopReason::non_finite, "trial steps give values that are not finite");
  say(StopReason::line_search_failed, "no trial step decreases the function enough");
}

}  // namespace detail

}  // namespace strata
