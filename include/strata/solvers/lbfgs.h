#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "strata/core/fields.h"
#include "strata/solvers/lbfgs_history.h"
#include "strata/solvers/solve_result.h"
#include "strata/solvers/wolfe.h"

namespace strata {

enum class GradientNorm { euclidean, maximum };
constexpr auto names_of(GradientNorm) { return std::to_array<std::string_view>({"euclidean", "maximum"}); }

// The first trial along -g, where nothing is known of the scale.
enum class FirstStep {
  at_most_unit,  // -g itself, shortened to length 1 where it is longer
  unit,          // length 1 even where -g is shorter, as L-BFGS-B: on a plateau the first step is a long one
};
constexpr auto names_of(FirstStep) { return std::to_array<std::string_view>({"at_most_unit", "unit"}); }

struct LbfgsOptions {
  std::size_t memory = 10;
  int max_iterations = 100;
  int max_evaluations = 0;
  double gradient_tolerance = 1e-5;
  GradientNorm gradient_norm = GradientNorm::euclidean;
  double relative_decrease = 0;
  FirstStep first_step = FirstStep::at_most_unit;
  bool keep_history = false;
  WolfeOptions line_search = {};

  static constexpr std::string_view kind = "lbfgs";
  void fields(auto& list) {
    list("memory", memory, at_least(1), "pairs kept by L-BFGS", "pairs");
    list("max_iterations", max_iterations, at_least(0), "L-BFGS iterations in one visit or round",
         "iterations");
    list("max_evaluations", max_evaluations, at_least(1).off_at(0), "calls of f in one solve");
    list("gradient_tolerance", gradient_tolerance, positive.off_at(0),
         "end a visit or round at ||g|| <= this, where neither epsilon nor the run sets another",
         "inner-gradient");
    list("gradient_norm", gradient_norm, "norm of the gradient that a solve compares with its tolerance",
         "inner-norm");
    list("relative_decrease", relative_decrease, positive.off_at(0),
         "end a visit or round after an iteration with (f - f+)/max(|f|, |f+|, 1) <= this", "inner-decrease");
    list("first_step", first_step, "length of the first trial along the negative gradient", "first-step");
    list("keep_history", keep_history, "start with the pairs that the last visit or round left",
         "keep-history");
    line_search.fields(list);
  }
};

// Everything a solve writes to. The second solve of the same size allocates nothing.
struct LbfgsMemory {
  LbfgsHistory history;
  Vector direction;
  WolfeSpace space;
  WolfeResult line;

  void prepare(std::size_t size, const LbfgsOptions& options) {
    history.prepare(size, options.memory);
    if (!options.keep_history) history.clear();
    direction.resize(size);
  }
};

namespace detail {

inline double measure(GradientNorm kind, std::span<const double> gradient) {
  if (kind == GradientNorm::euclidean) return norm(gradient);
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  return largest;
}
inline bool within_tolerance(const LbfgsOptions& options, std::span<const double> gradient) {
  return measure(options.gradient_norm, gradient) <= options.gradient_tolerance;
}

inline int evaluations_left(const LbfgsOptions& options, int used) {
  return options.max_evaluations == 0 ? options.line_search.max_trials : options.max_evaluations - used;
}

template <class Hook>
bool lbfgs_is_done(const LbfgsOptions& options, SolveResult& out, Hook& should_stop) {
  if (within_tolerance(options, out.best.gradient)) {
    out.stop(StopReason::gradient_tolerance, "the gradient norm is at or below the tolerance");
  } else if (out.iterations >= options.max_iterations) {
    out.stop(StopReason::max_iterations, "as many iterations as allowed");
  } else if (evaluations_left(options, out.evaluations) <= 0) {
    out.stop(StopReason::max_evaluations, "as many evaluations as allowed");
  } else if (const auto reason = should_stop(out)) {
    out.stop(*reason, "the caller asked to stop");
  } else {
    return false;
  }
  return true;
}

// Along the quasi-Newton direction the natural step is 1.
inline double first_trial(const LbfgsOptions& options, bool steepest, std::span<const double> direction) {
  if (!steepest) return 1;
  const double unit = 1 / norm(direction);
  return options.first_step == FirstStep::unit ? unit : std::min(1.0, unit);
}

template <SmoothFunction F, class FirstMatrix>
bool search_along_direction(Counted<F>& f, const LbfgsOptions& options, LbfgsMemory& memory, SolveResult& out,
                            FirstMatrix& first_matrix) {
  memory.history.descent_direction(out.best.gradient, memory.direction, first_matrix);
  const bool steepest = std::is_same_v<FirstMatrix, Identity> && memory.history.pairs() == 0;
  const double first_step = first_trial(options, steepest, memory.direction);
  WolfeOptions line_search = options.line_search;
  line_search.max_trials = std::min(line_search.max_trials, evaluations_left(options, out.evaluations));
  wolfe(f, out.best, memory.direction, first_step, line_search, memory.space, memory.line);
  out.evaluations = f.calls();
  return memory.line.step > 0;
}

// A failed search drops the history and tries steepest descent (in the metric of the first matrix) once; if that fails too,
// it says why.
template <SmoothFunction F, class FirstMatrix>
bool find_step(Counted<F>& f, const LbfgsOptions& options, LbfgsMemory& memory, SolveResult& out,
               FirstMatrix& first_matrix) {
  if (search_along_direction(f, options, memory, out, first_matrix)) return true;
  const bool was_steepest = memory.history.pairs() == 0;
  memory.history.clear();
  const bool exhausted = evaluations_left(options, out.evaluations) <= 0;
  if (!was_steepest && !exhausted && search_along_direction(f, options, memory, out, first_matrix))
    return true;
  if (evaluations_left(options, out.evaluations) <= 0) {
    out.stop(StopReason::max_evaluations, "as many evaluations as allowed");
  } else {
    out.stop(memory.line.reason, memory.line.message);
  }
  return false;
}

template <SmoothFunction F, class Hook, class FirstMatrix>
void lbfgs_loop(Counted<F>& f, const LbfgsOptions& options, LbfgsMemory& memory, SolveResult& out,
                Hook& should_stop, FirstMatrix& first_matrix) {
  if (!finite(out.best)) return out.stop(StopReason::non_finite, "the start is not finite");
  while (!lbfgs_is_done(options, out, should_stop)) {
    if (!find_step(f, options, memory, out, first_matrix)) return;
    Sample& next = memory.line.point;
    memory.history.push(out.best, next);
    const double size = std::max({std::abs(out.best.value), std::abs(next.value), 1.0});
    const double decrease = (out.best.value - next.value) / size;
    std::swap(out.best, next);
    ++out.iterations;
    if (options.relative_decrease > 0 && decrease <= options.relative_decrease &&
        !within_tolerance(options, out.best.gradient))
      return out.stop(StopReason::relative_decrease, "the relative decrease is at or below the tolerance");
  }
}

}  // namespace detail

// L-BFGS with a strong Wolfe search (Nocedal & Wright, algorithm 7.5). The value never increases from
// iteration to iteration, and values that are not finite never win: out.best is the last accepted sample
// whatever the reason. A first matrix other than the identity, symmetric and positive definite, is an estimate of the inverse
// Hessian: with it the first trial is 1 from the start.
template <SmoothFunction F, StopHook Hook = NeverStop, class FirstMatrix = Identity>
void minimise(F& f, const Sample& start, const LbfgsOptions& options, LbfgsMemory& memory, SolveResult& out,
              Hook&& should_stop = {}, FirstMatrix&& first_matrix = {}) {
  assert(start.x.size() == f.size() && start.gradient.size() == f.size());
  check(options);
  memory.prepare(f.size(), options);
  out.restart(start);
  Counted<F> counted(f);
  detail::lbfgs_loop(counted, options, memory, out, should_stop, first_matrix);
  out.work = counted.work();
}

}  // namespace strata
