// The only file that knows MPI.
#include "strata/parallel/mpi.h"

#include <mpi.h>

#include <cstdlib>
#include <limits>

namespace strata {

namespace {

constexpr int tag = 0;

int count(std::span<const std::byte> part) {
  static_assert(Communicator::longest_part <= std::numeric_limits<int>::max());
  return static_cast<int>(part.size());
}

class World final : public Communicator {
 public:
  World() {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }

 private:
  void do_send(std::size_t to, std::span<const std::byte> message) override {
    MPI_Send(message.data(), count(message), MPI_BYTE, static_cast<int>(to), tag, MPI_COMM_WORLD);
  }
  void do_receive(std::size_t from, std::span<std::byte> message) override {
    MPI_Recv(message.data(), count(message), MPI_BYTE, static_cast<int>(from), tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  void do_exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                   std::span<std::byte> in) override {
    MPI_Sendrecv(out.data(), count(out), MPI_BYTE, static_cast<int>(to), tag, in.data(), count(in), MPI_BYTE,
                 static_cast<int>(from), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void do_broadcast(std::size_t root, std::span<std::byte> data) override {
    MPI_Bcast(data.data(), count(data), MPI_BYTE, static_cast<int>(root), MPI_COMM_WORLD);
  }

  std::size_t rank_ = 0;
  std::size_t size_ = 1;
};

}  // namespace

bool MpiSession::was_launched() {
  // Set by Open MPI's mpirun, by Slurm's srun through PMIx or PMI2, and by other launchers through PMI.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

MpiSession::MpiSession(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // messages from the main thread alone
  world_ = std::make_unique<World>();
}

MpiSession::~MpiSession() { MPI_Finalize(); }

void MpiSession::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace strata
