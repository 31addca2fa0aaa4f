// What several processes gain and what their messages cost. Started by the scripts beside it, which say what is measured;
// prints one JSON object.
//   ranks.mpi single  <rows> <rounds>              without MPI: full evaluations through single_process()
//   mpirun ... ranks.mpi one <rows> <rounds>       one process: full evaluations through MPI and through single_process()
//   mpirun ... ranks.mpi scaling <rows> <rounds>   the first process alone, with one thread and with two, and all together
//   mpirun ... ranks.mpi scaling-of-methods ...    the same for a sweep of b2ld and of lbfgs, without threads
//   mpirun ... ranks.mpi gauss-newton ...          a sweep of blgn and of lbfgs by the first process alone, and the messages of blgn
//   mpirun ... ranks.mpi methods <rows> <rounds>   b2ld and lbfgs, all processes together, with their traffic
//   mpirun ... ranks.mpi messages <rounds>         sums of several lengths over all processes, no arithmetic
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/objective/objective.h"
#include "strata/parallel/collective.h"
#include "strata/parallel/mpi.h"
#include "strata/parallel/shard_sums.h"
#include "strata/trainers/presets.h"
#include "support/timing.h"

namespace strata::bench {
namespace {

using nlohmann::json;

constexpr std::size_t features = 12;
constexpr int inner_iterations = 5;  // of L-BFGS, for every weight in a sweep of either method

Dataset smooth_rows(std::size_t rows) {
  Dataset data = random_data(rows, features);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto x = [&](std::size_t c) { return data.x(row, c); };
    data.targets[row] = x(0) * std::sin(6 * x(1)) + x(2) * x(3);
  }
  return data;
}

Network deep_network() {
  Network network({.inputs = features, .hidden = std::vector<std::size_t>(5, 50), .bias = Bias::input});
  initialise(network, {.kind = Initialisation::uniform}, RandomStream(2));
  return network;
}

struct Problem {
  Problem(const Dataset& data, std::size_t threads, Communicator& processes)
      : engine({.threads = threads, .processes = &processes}),
        packed(data, engine),
        network(deep_network()),
        objective(network, packed, {.l2 = 1e-8}),
        gradient(network.size()) {}

  void evaluate() { objective.value_and_gradient(gradient); }

  // A layer in the middle, its input kept: what b2ld does most.
  void evaluate_layer() {
    const Block block{2, 2};
    const auto weights = network.weights(block);
    const Vector here(weights.begin(), weights.end());
    objective.open(block).value_and_gradient(here, std::span(gradient).first(here.size()));
  }

  Engine engine;
  PackedRows packed;
  Network network;
  Objective objective;
  Vector gradient;
};

// Of one evaluation among several in a row, which scatters less than a single one.
template <class Evaluate>
double time_of(const Evaluate& evaluate) {
  constexpr int in_a_row = 3;
  return seconds(
             [&] {
               for (int k = 0; k < in_a_row; ++k) evaluate();
             },
             wall_clock) /
         in_a_row;
}
double time_full(Problem& problem) {
  return time_of([&problem] { problem.evaluate(); });
}
double time_layer(Problem& problem) {
  return time_of([&problem] { problem.evaluate_layer(); });
}

// Processes that have nothing to do sleep until the first one has finished: a barrier would keep their cores busy.
template <class Body>
void first_alone(const Communicator& processes, const Body& body) {
  constexpr int done = 1;
  if (processes.rank() == 0) {
    body();
    for (int to = 1; to < static_cast<int>(processes.size()); ++to)
      MPI_Send(nullptr, 0, MPI_BYTE, to, done, MPI_COMM_WORLD);
  } else {
    for (int arrived = 0; arrived == 0;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      MPI_Iprobe(0, done, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, done, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// No block is skipped and none ends before its iterations are done: both methods do a fixed amount of work.
Scheme sweeps_of(const std::string& method, std::size_t sweeps) {
  if (method == "blgn") {  // whose batches have grown to all rows
    Scheme scheme = blgn(0);
    scheme.stopping = {.max_sweeps = sweeps};
    return scheme;
  }
  Scheme scheme = method == "lbfgs" ? whole_lbfgs() : b2ld();
  scheme.tolerance.first = method == "lbfgs" ? 0 : 1e-12;
  scheme.updates.hidden = lbfgs({.solver = {.max_iterations = inner_iterations,
                                            .gradient_tolerance = 1e-12,
                                            .keep_history = method == "lbfgs"}});
  scheme.stopping = {.max_sweeps = sweeps};
  scheme.reporting.steps = false;
  return scheme;
}

json train_sweeps(const std::string& method, const Dataset& data, std::size_t sweeps,
                  Communicator& processes) {
  Network network = deep_network();
  std::size_t memory = 0;
  if (method == "b2ld_uncached") {  // where the activations do not fit in memory
    Engine probe({.processes = &processes});
    const PackedRows rows(data, probe);
    memory = probe.memory().bytes() - probe.memory().left();
  }
  Engine engine({.processes = &processes, .memory = memory});
  const TrainingResult result =
      train(network, data, sweeps_of(method, sweeps), {.objective = {.l2 = 1e-8}, .engine = &engine});
  const auto per_sweep = [&](auto count) {
    return static_cast<double>(count) / static_cast<double>(result.sweeps);
  };
  return {{"seconds_per_sweep", per_sweep(result.seconds)},
          {"evaluations_per_sweep", per_sweep(result.work.evaluations)},
          {"messages_per_sweep", per_sweep(result.traffic.messages)},
          {"bytes_per_sweep", per_sweep(result.traffic.bytes)},
          {"iterations_per_layer",
           per_sweep(*std::min_element(result.updates_per_layer.begin(), result.updates_per_layer.end()))},
          {"f", result.value}};
}

// Passes everything on, and counts the trips of messages that somebody waits for: of a long one MPI asks first whether the receiver is
// ready. The time and a wish to stop, 16 bytes, come along with sums.
class CountedTrips final : public Communicator {
 public:
  explicit CountedTrips(Communicator& processes) : processes_(processes) {}

  [[nodiscard]] std::size_t rank() const override { return processes_.rank(); }
  [[nodiscard]] std::size_t size() const override { return processes_.size(); }
  [[nodiscard]] std::size_t trips() const { return trips_; }  // of what this process sent

 private:
  void count(std::size_t bytes) {
    constexpr std::size_t longest_unasked = 65536;
    constexpr std::size_t of_the_clock = 16;
    if (bytes != of_the_clock) trips_ += bytes > longest_unasked ? 3 : 1;
  }
  void do_send(std::size_t to, std::span<const std::byte> message) override {
    count(message.size());
    processes_.send(to, message);
  }
  void do_receive(std::size_t from, std::span<std::byte> message) override {
    processes_.receive(from, message);
  }
  void do_exchange(std::size_t to, std::span<const std::byte> out, std::size_t from,
                   std::span<std::byte> in) override {
    count(out.size());
    processes_.exchange(to, out, from, in);
  }
  void do_broadcast(std::size_t root, std::span<std::byte> data) override {
    if (rank() == root) count(data.size());
    processes_.broadcast(root, data);
  }

  Communicator& processes_;
  std::size_t trips_ = 0;
};

// The median over the rounds of each quantity that a round measures.
json medians(const std::vector<json>& rounds) {
  json result = json::object();
  for (const auto& [name, value] : rounds.front().items()) {
    std::vector<double> values;
    for (const json& round : rounds) values.push_back(round.at(name).get<double>());
    result[name] = median(values);
  }
  return result;
}

json summary(const std::vector<json>& rounds) { return {{"rounds", rounds}, {"median", medians(rounds)}}; }

json scaling(std::size_t rows, std::size_t count, Communicator& world) {
  const Dataset whole = smooth_rows(rows);
  const Dataset own = share_rows(whole, world);
  Problem shared(own, 1, world);
  std::unique_ptr<Problem> alone;
  std::unique_ptr<Problem> threads;
  if (world.rank() == 0) {
    alone = std::make_unique<Problem>(whole, 1, single_process());
    threads = std::make_unique<Problem>(whole, world.size(), single_process());
  }
  const auto each = [&](double (*time)(Problem&)) {
    std::vector<json> rounds;
    for (std::size_t round = 0; round <= count; ++round) {  // the first one fills caches and does not count
      double one = 0;
      double threaded = 0;
      first_alone(world, [&] { one = time(*alone); });
      const double all = time(shared);
      first_alone(world, [&] { threaded = time(*threads); });
      if (round > 0)
        rounds.push_back({{"alone", one},
                          {"together", all},
                          {"threads", threaded},
                          {"speed_up", one / all},
                          {"speed_up_of_threads", one / threaded}});
    }
    return summary(rounds);
  };
  return {{"ranks", world.size()}, {"rows", rows}, {"full", each(time_full)}, {"layer", each(time_layer)}};
}

// Sweeps of the methods, the first process alone and all together.
json scaling_of_methods(std::size_t rows, std::size_t count, Communicator& world) {
  const Dataset whole = smooth_rows(rows);
  const Dataset own = share_rows(whole, world);
  json result{{"ranks", world.size()}, {"rows", rows}};
  for (const std::string method : {"b2ld", "b2ld_uncached", "lbfgs"}) {
    std::vector<json> rounds;
    for (std::size_t round = 0; round < count; ++round) {
      double one = 0;
      first_alone(world,
                  [&] { one = train_sweeps(method, whole, 1, single_process())["seconds_per_sweep"]; });
      const double all = train_sweeps(method, own, 1, world)["seconds_per_sweep"];
      rounds.push_back({{"alone", one}, {"together", all}, {"speed_up", one / all}});
    }
    result[method] = summary(rounds);
  }
  return result;
}

// What blgn costs beside lbfgs, in processor time, which other programs do not change; and what its processes send each other.
json gauss_newton(std::size_t rows, std::size_t count, Communicator& world) {
  constexpr std::size_t sweeps = 4;
  const Dataset whole = smooth_rows(rows);
  const Dataset own = share_rows(whole, world);
  std::vector<json> rounds;
  for (std::size_t round = 0; round < count; ++round) {
    json now;
    first_alone(world, [&] {
      for (const std::string method : {"lbfgs", "blgn"})
        now[method] = seconds([&] { train_sweeps(method, whole, sweeps, single_process()); }) / sweeps;
    });
    CountedTrips counted(world);
    const json together = train_sweeps("blgn", own, sweeps, counted);
    now["trips_per_sweep"] = static_cast<double>(sum_over(world, counted.trips())) / sweeps;
    now["messages_per_sweep"] = together["messages_per_sweep"];
    now["bytes_per_sweep"] = together["bytes_per_sweep"];
    if (world.rank() == 0) now["over_lbfgs"] = now["blgn"].get<double>() / now["lbfgs"].get<double>();
    rounds.push_back(now);
  }
  return {{"ranks", world.size()},
          {"rows", rows},
          {"sweeps", sweeps},
          {"median", medians(rounds)},
          {"rounds", rounds}};
}

json one_process(std::size_t rows, std::size_t count, Communicator* world) {
  const Dataset data = smooth_rows(rows);
  Problem plain(data, 1, single_process());
  std::unique_ptr<Problem> mpi;
  if (world != nullptr) mpi = std::make_unique<Problem>(data, 1, *world);
  const auto time = [](Problem& problem) { return seconds([&problem] { problem.evaluate(); }); };
  std::vector<json> rounds;
  for (std::size_t round = 0; round <= count; ++round) {
    json now{{"single_process", time(plain)}};
    if (mpi) {
      now["mpi"] = time(*mpi);
      now["overhead"] = now["mpi"].get<double>() / now["single_process"].get<double>() - 1;
    }
    if (round > 0) rounds.push_back(now);
  }
  return summary(rounds);
}

json methods(std::size_t rows, std::size_t count, Communicator& world) {
  const Dataset own = share_rows(smooth_rows(rows), world);
  Problem shared(own, 1, world);
  time_full(shared);
  json result{{"ranks", world.size()}, {"rows", rows}, {"weights", shared.network.size()}};
  std::vector<json> full;
  for (std::size_t round = 0; round < count; ++round) full.push_back({{"seconds", time_full(shared)}});
  result["full"] = summary(full);
  for (const std::string method : {"b2ld", "lbfgs"}) {
    std::vector<json> rounds;
    for (std::size_t round = 0; round < count; ++round) rounds.push_back(train_sweeps(method, own, 2, world));
    result[method] = summary(rounds);
  }
  return result;
}

// The sums of an evaluation without its arithmetic, a shard for each process.
json messages(std::size_t count, Communicator& world) {
  json result = json::array();
  ThreadPool pool(1);
  ShardSums sums;
  const ShardShares shares{.shards = world.size(), .processes = world.size()};
  for (const std::size_t length : {1U, 100U, 1000U, 10000U, 100000U}) {
    std::vector<double> times;
    for (std::size_t round = 0; round < count; ++round)
      times.push_back(seconds(
          [&] {
            sums.start(shares, world.rank(), length);
            sums.cleared(world.rank());
            sums.total(world, pool);
          },
          wall_clock));
    result.push_back({{"bytes", length * sizeof(double)}, {"seconds", median(times)}});
  }
  return result;
}

json measure(const std::vector<std::string>& words, Communicator* world) {
  const std::string& what = words.at(0);
  if (what == "messages") return messages(std::stoul(words.at(1)), *world);
  const std::size_t rows = std::stoul(words.at(1));
  const std::size_t rounds = std::stoul(words.at(2));
  if (what == "single" || what == "one") return one_process(rows, rounds, world);
  if (what == "scaling") return scaling(rows, rounds, *world);
  if (what == "scaling-of-methods") return scaling_of_methods(rows, rounds, *world);
  if (what == "gauss-newton") return gauss_newton(rows, rounds, *world);
  if (what == "methods") return methods(rows, rounds, *world);
  throw InvalidOption("what", what, "see the first lines of bench/distributed/ranks.cpp");
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "single") {
    std::cout << strata::bench::measure(words, nullptr) << '\n';
    return 0;
  }
  strata::MpiSession mpi(argc, argv);
  const auto result = strata::bench::measure(words, &mpi.processes());
  if (mpi.processes().rank() == 0) std::cout << result << '\n';
}
