// The only file that knows MPI.
#include "strata/parallel/mpi.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>

namespace strata {

namespace {

constexpr int tag = 0;
constexpr std::size_t longest = std::size_t{1} << 30U;  // MPI counts in int

// Calls transfer(part, its length) for parts that MPI can count.
template <class Span, class Transfer>
void in_parts(Span data, const Transfer& transfer) {
  do {
    const std::size_t length = std::min(longest, data.size());
    transfer(data.data(), static_cast<int>(length));
    data = data.subspan(length);
  } while (!data.empty());
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
    in_parts(message, [to](const std::byte* part, int length) {
      MPI_Send(part, length, MPI_BYTE, static_cast<int>(to), tag, MPI_COMM_WORLD);
    });
  }
  void do_receive(std::size_t from, std::span<std::byte> message) override {
    in_parts(message, [from](std::byte* part, int length) {
      MPI_Recv(part, length, MPI_BYTE, static_cast<int>(from), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  }
  // The two may differ in their number of parts.
  void do_exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                   std::span<std::byte> in) override {
    do {
      const std::size_t sent = std::min(longest, out.size());
      const std::size_t received = std::min(longest, in.size());
      MPI_Sendrecv(out.data(), static_cast<int>(sent), MPI_BYTE, static_cast<int>(to), tag, in.data(),
                   static_cast<int>(received), MPI_BYTE, static_cast<int>(from), tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      out = out.subspan(sent);
      in = in.subspan(received);
    } while (!out.empty() || !in.empty());
  }
  void do_broadcast(std::size_t root, std::span<std::byte> data) override {
    in_parts(data, [root](std::byte* part, int length) {
      MPI_Bcast(part, length, MPI_BYTE, static_cast<int>(root), MPI_COMM_WORLD);
    });
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
