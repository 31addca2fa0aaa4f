#include "hooks.h"

#include "arrays.h"

namespace bindings {

template <class Record>
void Hooks::tell(const nb::object& callback, const Record& record) {
  if (stop_) return;
  const nb::gil_scoped_acquire lock;
  try {
    const nb::object answer = callback(from_json(to_json(record)));
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) throw nb::python_error();
    stop_ = truth > 0;
  } catch (const std::exception&) {
    raised_ = std::current_exception();
    stop_ = true;
  }
}

strata::Observers Hooks::observers() {
  strata::Observers made;
  if (!step_.is_none()) made.step = [this](const strata::StepRecord& record) { tell(step_, record); };
  if (!sweep_.is_none()) made.sweep = [this](const strata::SweepRecord& record) { tell(sweep_, record); };
  return made;
}

bool Hooks::interrupted() {
  const auto now = std::chrono::steady_clock::now();
  if (stop_ || now < next_look_) return stop_;
  next_look_ = now + std::chrono::milliseconds(20);
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) {
    raised_ = std::make_exception_ptr(nb::python_error());
    stop_ = true;
  }
  return stop_;
}

void Hooks::raise_pending() const {
  if (raised_) std::rethrow_exception(raised_);
}

}  // namespace bindings
