// Between a run, which goes on without the interpreter's lock, and Python: callbacks and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>

#include "strata/trainers/scheme.h"

namespace bindings {

namespace nb = nanobind;

// What a callback raises, or a signal, ends the run as a user's request does: the best weights are kept. It is raised
// again when the run is over.
class Hooks {
 public:
  Hooks(nb::object step, nb::object sweep) : step_(std::move(step)), sweep_(std::move(sweep)) {}

  [[nodiscard]] strata::Observers observers();  // refers to this object
  [[nodiscard]] bool stopped() const { return stop_; }
  bool interrupted();          // asked often; looks for signals at most every 20 ms
  void raise_pending() const;  // with the interpreter's lock

 private:
  template <class Record>
  void tell(const nb::object& callback, const Record& record);

  nb::object step_;
  nb::object sweep_;
  std::exception_ptr raised_;
  bool stop_ = false;
  std::chrono::steady_clock::time_point next_look_ = {};
};

}  // namespace bindings
