// Messages between processes that an mpi4py communicator connects: the module itself is linked with no MPI library.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "strata/data/dataset.h"
#include "strata/parallel/communicator.h"

namespace bindings {

namespace nb = nanobind;

// The processes of a run: those of an mpi4py communicator, or this one alone for None.
class Processes {
 public:
  explicit Processes(const nb::object& comm);  // with the interpreter's lock

  [[nodiscard]] strata::Communicator& get() const { return mpi_ ? *mpi_ : strata::single_process(); }

 private:
  std::unique_ptr<strata::Communicator> mpi_;
};

// Makes the rows of each process a part of one table, in the order of processes. All call together.
void share(strata::Dataset& own, strata::Communicator& processes);

}  // namespace bindings
