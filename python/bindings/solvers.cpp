// L-BFGS on a function that is written in Python.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <string>

#include "fields.h"
#include "module.h"
#include "strata/core/errors.h"
#include "strata/solvers/lbfgs.h"

namespace bindings {

using namespace nb::literals;

namespace {

// function(x) -> (value, gradient)
class PythonFunction {
 public:
  PythonFunction(nb::callable function, std::size_t size) : function_(std::move(function)), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  double value(std::span<const double> x) {
    unused_.resize(size_);
    return value_and_gradient(x, unused_);
  }
  double value_and_gradient(std::span<const double> x, std::span<double> gradient) {
    const auto [value, there] =
        nb::cast<std::pair<double, Array1>>(function_(to_array({x.begin(), x.end()})));
    if (there.shape(0) != size_)
      throw strata::Error(
          fmt::format("the function's gradient has {} entries for a point of {}; return one for each",
                      there.shape(0), size_));
    std::copy_n(there.data(), size_, gradient.begin());
    return value;
  }

 private:
  nb::callable function_;
  std::size_t size_;
  strata::Vector unused_;
};

strata::SolveResult minimise(const nb::callable& function, const Array1& x0,
                             const std::optional<nb::callable>& callback, const nb::kwargs& keywords) {
  const auto options = options_from<strata::LbfgsOptions>(nb::borrow<nb::args>(nb::make_tuple()), keywords);
  PythonFunction f(function, x0.shape(0));
  strata::Sample start;
  evaluate(f, view(x0), start);
  strata::LbfgsMemory memory;
  strata::SolveResult result;
  const auto ask = [&callback](const strata::SolveResult& so_far) -> std::optional<strata::StopReason> {
    if (!callback || so_far.iterations == 0) return {};
    const nb::bool_ enough((*callback)(to_array(so_far.best.x), so_far.best.value));
    return static_cast<bool>(enough) ? std::optional(strata::StopReason::user_request) : std::nullopt;
  };
  minimise(f, start, options, memory, result, ask);
  return result;
}

}  // namespace

void add_solvers(nb::module_& module) {
  using strata::SolveResult;
  nb::class_<SolveResult>(module, "SolveResult", "What a solve did and why it ended.")
      .def_prop_ro(
          "x", [](const SolveResult& self) { return to_array(self.best.x); }, nb::rv_policy::move)
      .def_prop_ro("value", [](const SolveResult& self) { return self.best.value; })
      .def_prop_ro(
          "gradient", [](const SolveResult& self) { return to_array(self.best.gradient); },
          nb::rv_policy::move)
      .def_prop_ro("reason", [](const SolveResult& self) { return std::string(to_string(self.reason)); })
      .def_ro("iterations", &SolveResult::iterations)
      .def_ro("evaluations", &SolveResult::evaluations, "Calls of the function after the one at the start.")
      .def("__repr__", [](const SolveResult& self) { return describe(self); });
  module.def(
      "minimise", &minimise, "function"_a, "x0"_a, "callback"_a.none() = nb::none(), "options"_a,
      "L-BFGS. function(x) returns the value and the gradient; callback(x, value) is asked after every "
      "iteration but the last, and ends the solve by returning true. Options as those of schemes.lbfgs.");
}

}  // namespace bindings
