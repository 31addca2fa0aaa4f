#include "processes.h"

#include "strata/parallel/collective.h"

namespace bindings {

namespace {

// Bytes of the library as a buffer of Python's.
nb::object buffer(std::span<const std::byte> bytes, int access) {
  static char nothing = 0;  // Python takes no null pointer, and an empty span may have one
  auto* const data = bytes.empty() ? &nothing : reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
  return nb::steal(PyMemoryView_FromMemory(data, static_cast<Py_ssize_t>(bytes.size()), access));
}
nb::object to_read(std::span<const std::byte> bytes) { return buffer(bytes, PyBUF_READ); }
nb::object to_write(std::span<std::byte> bytes) { return buffer(bytes, PyBUF_WRITE); }

// A run goes on without the interpreter's lock; each operation takes it, and mpi4py gives it back while it waits.
class Mpi4py final : public strata::Communicator {
 public:
  explicit Mpi4py(const nb::object& comm)
      : rank_(nb::cast<std::size_t>(comm.attr("Get_rank")())),
        size_(nb::cast<std::size_t>(comm.attr("Get_size")())),
        send_(comm.attr("Send")),
        receive_(comm.attr("Recv")),
        exchange_(comm.attr("Sendrecv")),
        broadcast_(comm.attr("Bcast")) {}

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }

 private:
  static constexpr int tag = 0;

  void do_send(std::size_t to, std::span<const std::byte> message) override {
    const nb::gil_scoped_acquire lock;
    send_(to_read(message), to, tag);
  }
  void do_receive(std::size_t from, std::span<std::byte> message) override {
    const nb::gil_scoped_acquire lock;
    receive_(to_write(message), from, tag);
  }
  void do_exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                   std::span<std::byte> in) override {
    const nb::gil_scoped_acquire lock;
    exchange_(to_read(out), to, tag, to_write(in), from, tag);
  }
  void do_broadcast(std::size_t root, std::span<std::byte> data) override {
    const nb::gil_scoped_acquire lock;
    broadcast_(to_write(data), root);
  }

  std::size_t rank_;
  std::size_t size_;
  nb::object send_, receive_, exchange_, broadcast_;
};

}  // namespace

Processes::Processes(const nb::object& comm) {
  if (!comm.is_none()) mpi_ = std::make_unique<Mpi4py>(comm);
}

void share(strata::Dataset& own, strata::Communicator& processes) {
  if (processes.alone()) return;
  const std::vector<std::size_t> rows = all_gather(processes, own.rows);
  for (std::size_t p = 0; p < rows.size(); ++p) {
    own.shared_rows += rows[p];
    if (p < processes.rank()) own.first_row += rows[p];
  }
}

}  // namespace bindings
