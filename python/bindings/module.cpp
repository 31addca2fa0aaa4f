#include "module.h"

#include "strata/core/errors.h"
#include "strata/core/option_text.h"

namespace nb = nanobind;

NB_MODULE(_strata, module) {
  module.doc() = "The C++ library underneath the package.";
  // The library's refusals are bad input: the sentence is the same as the command line's.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*unused*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const strata::Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  strata::set_option_style(strata::OptionStyle::python);
  bindings::add_threads(module);
  bindings::add_data(module);
  bindings::add_network(module);
  bindings::add_objective(module);
  bindings::add_solvers(module);
  bindings::add_scheme(module);
  bindings::add_training(module);
  bindings::add_model(module);
  bindings::add_fit(module);
}
