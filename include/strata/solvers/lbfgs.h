#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "strata/core/fields.h"
#include "strata/solvers/lbfgs_history.h"
#include "strata/solvers/solve_result.h"
#include "strata/solvers/wolfe.h"

namespace strata {

struct LbfgsOptions {
  std::size_t memory = 10;
  int max_iterations = 100;
  int max_evaluations = 0;
  double gradient_tolerance = 1e-5;
  double relative_decrease = 0;
  bool keep_history = false;
  WolfeOptions line_search = {};

  static constexpr std::string_view kind = "lbfgs";
  void fields(auto& list) {
    list("memory", memory, at_least(1), "pairs kept by L-BFGS", "pairs");
    list("max_iterations", max_iterations, at_least(0), "L-BFGS iterations in one visit or round",
         "iterations");
    list("max_evaluations", max_evaluations, at_least(1).off_at(0), "calls of f in one solve");
    list("gradient_tolerance", gradient_tolerance, not_negative, "stop when ||g|| <= this (Euclidean)");
    list("relative_decrease", relative_decrease, positive.off_at(0),
         "stop when (f - f+)/max(|f|, 1) <= this");
    list("keep_history", keep_history, "start with the pairs that the last solve left");
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

inline int evaluations_left(const LbfgsOptions& options, int used) {
  return options.max_evaluations == 0 ? options.line_search.max_trials : options.max_evaluations - used;
}

template <class Hook>
bool lbfgs_is_done(const LbfgsOptions& options, SolveResult& out, Hook& should_stop) {
  if (norm(out.best.gradient) <= options.gradient_tolerance) {
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

// Along the quasi-Newton direction the natural step is 1. Along -g nothing is known of the scale: at most
// unit length.
template <SmoothFunction F>
bool search_along_direction(Counted<F>& f, const LbfgsOptions& options, LbfgsMemory& memory,
                            SolveResult& out) {
  memory.history.descent_direction(out.best.gradient, memory.direction);
  const bool steepest = memory.history.pairs() == 0;
  const double first_step = steepest ? std::min(1.0, 1 / norm(memory.direction)) : 1.0;
  WolfeOptions line_search = options.line_search;
  line_search.max_trials = std::min(line_search.max_trials, evaluations_left(options, out.evaluations));
  wolfe(f, out.best, memory.direction, first_step, line_search, memory.space, memory.line);
  out.evaluations = f.calls();
  return memory.line.step > 0;
}

// A failed search drops the history and tries steepest descent once; if that fails too, it says why.
template <SmoothFunction F>
bool find_step(Counted<F>& f, const LbfgsOptions& options, LbfgsMemory& memory, SolveResult& out) {
  if (search_along_direction(f, options, memory, out)) return true;
  const bool was_steepest = memory.history.pairs() == 0;
  memory.history.clear();
  const bool exhausted = evaluations_left(options, out.evaluations) <= 0;
  if (!was_steepest && !exhausted && search_along_direction(f, options, memory, out)) return true;
  if (evaluations_left(options, out.evaluations) <= 0) {
    out.stop(StopReason::max_evaluations, "as many evaluations as allowed");
  } else {
    out.stop(memory.line.reason, memory.line.message);
  }
  return false;
}

template <SmoothFunction F, class Hook>
void lbfgs_loop(Counted<F>& f, const LbfgsOptions& options, LbfgsMemory& memory, SolveResult& out,
                Hook& should_stop) {
  if (!finite(out.best)) return out.stop(StopReason::non_finite, "the start is not finite");
  while (!lbfgs_is_done(options, out, should_stop)) {
    if (!find_step(f, options, memory, out)) return;
    Sample& next = memory.line.point;
    memory.history.push(out.best, next);
    const double decrease = (out.best.value - next.value) / std::max(std::abs(out.best.value), 1.0);
    std::swap(out.best, next);
    ++out.iterations;
    if (options.relative_decrease > 0 && decrease <= options.relative_decrease &&
        norm(out.best.gradient) > options.gradient_tolerance)
      return out.stop(StopReason::relative_decrease, "the relative decrease is at or below the tolerance");
  }
}

}  // namespace detail

// L-BFGS with a strong Wolfe search (Nocedal & Wright, algorithm 7.5). The value never increases from
// iteration to iteration, and values that are not finite never win: out.best is the last accepted sample
// whatever the reason.
template <SmoothFunction F, StopHook Hook = NeverStop>
void minimise(F& f, const Sample& start, const LbfgsOptions& options, LbfgsMemory& memory, SolveResult& out,
              Hook&& should_stop = {}) {
  assert(start.x.size() == f.size() && start.gradient.size() == f.size());
  check(options);
  memory.prepare(f.size(), options);
  out.restart(start);
  Counted<F> counted(f);
  detail::lbfgs_loop(counted, options, memory, out, should_stop);
  out.work = counted.work();
}

}  // namespace strata
