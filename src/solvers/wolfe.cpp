#include "strata/solvers/wolfe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

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

// Where the parabola through two values and the slope at `a` has its minimum; where the line through two slopes is zero.
double quadratic_minimum(const LinePoint& a, const LinePoint& b) {
  const double length = b.step - a.step;
  return a.step + a.slope / ((a.value - b.value) / length + a.slope) / 2 * length;
}
double secant_zero(const LinePoint& a, const LinePoint& b) {
  return b.step + b.slope / (b.slope - a.slope) * (a.step - b.step);
}

double nearer(double from, double a, double b) { return std::abs(a - from) < std::abs(b - from) ? a : b; }
double farther(double from, double a, double b) { return std::abs(a - from) > std::abs(b - from) ? a : b; }

}  // namespace

bool LinePoint::finite() const { return std::isfinite(value) && std::isfinite(slope); }

LineVerdict WolfeBracket::judge(const LinePoint& trial) {
  const double enough = start_.value + options_.decrease * trial.step * start_.slope;
  const bool worse = low_.step > 0 && trial.value >= low_.value;
  if (!trial.finite() || trial.value > enough || worse) {
    high_ = trial;
    return LineVerdict::refused;
  }
  previous_ = low_;
  low_ = trial;
  if (std::abs(trial.slope) <= -options_.curvature * start_.slope) return LineVerdict::accepted;
  const double towards_high = high_ ? high_->step - previous_.step : 1.0;
  if (trial.slope * towards_high >= 0) high_ = previous_;
  return LineVerdict::better;
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

LineVerdict MoreThuente::judge(const LinePoint& trial) {
  if (!trial.finite()) {
    ceiling_ = trial.step;
    step_ = low_.step + 0.25 * (trial.step - low_.step);
    return LineVerdict::refused;
  }
  const double tilt = options_.decrease * start_.slope;
  const bool enough = trial.value <= start_.value + trial.step * tilt;
  if (enough && trial.slope >= 0) first_stage_ = false;
  if (enough && std::abs(trial.slope) <= -options_.curvature * start_.slope) {
    low_ = trial;
    return LineVerdict::accepted;
  }
  if (most_ == 0) most_ = 5 * trial.step;
  const bool by_psi = first_stage_ && !enough && trial.value <= low_.value;
  const auto seen = [&](const LinePoint& point) {
    return by_psi ? LinePoint{point.step, point.value - point.step * tilt, point.slope - tilt} : point;
  };
  const LinePoint low = seen(low_);
  const LinePoint now = seen(trial);
  step_ = proposal(low, seen(other_), now);
  const bool better = now.value <= low.value;
  if (!better)
    other_ = trial;
  else if (now.slope * low.slope < 0)
    other_ = low_;
  if (better) low_ = trial;
  limit_next_step();
  return better ? LineVerdict::better : LineVerdict::refused;
}

// Section 4 of the paper: the four cases of a trial, each with the step that is safe in it.
double MoreThuente::proposal(const LinePoint& low, const LinePoint& other, const LinePoint& trial) {
  const double here = trial.step;
  const bool beyond = here > low.step;
  const double edge = beyond ? most_ : least_;
  if (trial.value > low.value) {
    bracketed_ = true;
    const double quadratic = quadratic_minimum(low, trial);
    const double cubic = cubic_minimum(low, trial).value_or(quadratic);
    return std::abs(cubic - low.step) < std::abs(quadratic - low.step) ? cubic : 0.5 * (cubic + quadratic);
  }
  const double secant = secant_zero(low, trial);
  if (trial.slope * low.slope < 0) {
    bracketed_ = true;
    return farther(here, cubic_minimum(trial, low).value_or(secant), secant);
  }
  if (std::abs(trial.slope) < std::abs(low.slope)) {
    const auto minimum = cubic_minimum(trial, low);
    const double cubic = minimum && (*minimum > here) == beyond ? *minimum : edge;
    if (!bracketed_) return std::clamp(farther(here, cubic, secant), least_, most_);
    const double limit = here + 0.66 * (other.step - here);
    const double step = nearer(here, cubic, secant);
    return beyond ? std::min(limit, step) : std::max(limit, step);
  }
  return bracketed_ ? cubic_minimum(trial, other).value_or(0.5 * (here + other.step)) : edge;
}

void MoreThuente::limit_next_step() {
  const double width = std::abs(other_.step - low_.step);
  if (bracketed_) {
    if (width >= 0.66 * width_before_) step_ = low_.step + 0.5 * (other_.step - low_.step);
    width_before_ = width_;
    width_ = width;
    std::tie(least_, most_) = std::minmax({low_.step, other_.step});
    constexpr double narrow = 0.1;  // of the larger end: L-BFGS-B is content with this
    exhausted_ = step_ <= least_ || step_ >= most_ || width <= narrow * most_;
  } else {
    least_ = step_ + 1.1 * (step_ - low_.step);
    most_ = step_ + 4 * (step_ - low_.step);
  }
  step_ = std::clamp(step_, 0.0, longest);
  if (step_ >= ceiling_) step_ = 0.5 * (low_.step + ceiling_);
}

namespace detail {

void conclude(const LinePoint& low, bool met_non_finite, bool accepted, const Sample& start,
              WolfeResult& out) {
  const auto say = [&out](StopReason reason, std::string_view message) {
    out.reason = reason;
    out.message = message;
  };
  out.step = low.step;
  if (accepted) return say(StopReason::solved, "strong Wolfe conditions");
  if (low.value < start.value)
    return say(StopReason::max_evaluations, "a decrease; not both Wolfe conditions were met");

  out.step = 0;
  out.point = start;
  if (low.step > 0) return say(StopReason::line_search_failed, "the decrease left is below rounding");
  if (!low.finite()) return say(StopReason::non_finite, "the start or the direction is not finite");
  if (low.slope >= 0) return say(StopReason::line_search_failed, "not a direction of descent");
  if (met_non_finite) return say(StopReason::non_finite, "trial steps give values that are not finite");
  say(StopReason::line_search_failed, "no trial step decreases the function enough");
}

}  // namespace detail

}  // namespace strata
