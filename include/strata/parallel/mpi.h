#pragma once

#include <memory>

#include "strata/parallel/communicator.h"

namespace strata {

// MPI from its start to its end, for a program's main. In the library where it was built with STRATA_MPI.
class MpiSession {
 public:
  // True when a launcher (mpirun, srun) has started this program as one of several processes.
  static bool was_launched();

  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] Communicator& processes() { return *world_; }

  // Ends all processes of the job, also those that wait for a message from this one.
  [[noreturn]] static void abort(int exit_code);

 private:
  std::unique_ptr<Communicator> world_;
};

}  // namespace strata
