// Every method trains a network whose first layer has tables or centres: f falls, the bits do not depend on threads, processes
// or interruptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "strata/core/errors.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/thread_communicator.h"
#include "strata/trainers/presets.h"
#include "support/columns.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::data_in_columns;
using testing_support::mixed_columns;
using testing_support::random_network;
using testing_support::smooth_data;
using testing_support::Trained;
using testing_support::trained;
using testing_support::weights_of;

Network start() {
  return random_network({.inputs = 5, .hidden = {6, 5}, .columns = mixed_columns(80)}, 2, 0.4);
}

Scheme short_run(std::string_view method, std::size_t sweeps) {
  Scheme scheme = preset(method, 3);
  if (scheme.batches.size > 0) scheme.batches.size = 64;
  scheme.stopping = {.max_sweeps = sweeps};
  return scheme;
}

Network radial_start() {
  return random_network(
      {.inputs = 4, .hidden = {7}, .activation = Activation::gaussian, .radial_width = 0.5});
}

using MethodAndLayer = std::tuple<std::string, std::string>;

class EveryMethodOnFirstLayer : public testing::TestWithParam<MethodAndLayer> {
 protected:
  [[nodiscard]] bool radial() const { return std::get<1>(GetParam()) == "centres"; }
  [[nodiscard]] Network start() const { return radial() ? radial_start() : strata::start(); }
  [[nodiscard]] Scheme short_run(std::size_t sweeps) const {
    return strata::short_run(std::get<0>(GetParam()), sweeps);
  }
  Dataset data_ = radial() ? smooth_data(1200, 4) : data_in_columns(mixed_columns(80), 1200);
  TrainOptions options_ = {.objective = {.l2 = 1e-4}, .seed = 3};
};

TEST_P(EveryMethodOnFirstLayer, LowersTheObjective) {
  Network network = start();
  const PackedRows rows(data_);
  const double before = Objective(network, rows, options_.objective).value();
  const Trained result = trained(network, data_, short_run(3), options_);
  EXPECT_LT(result.result.value, 0.9 * before);
}

TEST_P(EveryMethodOnFirstLayer, HasTheSameBitsOnAnyNumberOfThreadsAndProcesses) {
  const Trained alone = trained(start(), data_, short_run(2), options_);
  for (const auto& [processes, threads] : {std::pair{1, 3}, std::pair{2, 2}, std::pair{3, 1}})
    run_as_processes(static_cast<std::size_t>(processes), [&, count = threads](Communicator& communicator) {
      Engine engine({.threads = static_cast<std::size_t>(count), .processes = &communicator});
      TrainOptions options = options_;
      options.engine = &engine;
      const Trained shared = trained(start(), share_rows(data_, communicator), short_run(2), options);
      EXPECT_EQ(weights_of(shared.network), weights_of(alone.network));
    });
}

TEST_P(EveryMethodOnFirstLayer, ContinuesFromACheckpointToTheSameBits) {
  const Trained whole = trained(start(), data_, short_run(3), options_);
  State saved;
  TrainOptions first = options_;
  first.checkpoints.save = [&](const State& state) { saved = state; };
  trained(start(), data_, short_run(1), first);
  TrainOptions second = options_;
  second.checkpoints.resume = &saved;
  const Trained continued = trained(start(), data_, short_run(3), second);
  EXPECT_EQ(weights_of(continued.network), weights_of(whole.network));
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryMethodOnFirstLayer,
                         testing::Combine(testing::ValuesIn(all_methods()),
                                          testing::Values("tables", "centres")),
                         [](const auto& instance) {
                           std::string name = std::get<0>(instance.param) + "_" + std::get<1>(instance.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Tables, ACheckpointOfOtherKnotsIsRefused) {
  const Dataset data = data_in_columns(mixed_columns(80), 200);
  State saved;
  TrainOptions options{.objective = {.l2 = 1e-4}};
  options.checkpoints.save = [&](const State& state) { saved = state; };
  trained(start(), data, short_run("b2ld", 1), options);
  std::vector<ColumnBasis> columns = mixed_columns(80);
  columns[0].knots[1] = 0.21;
  options.checkpoints = {.resume = &saved};
  Network other({.inputs = 5, .hidden = {6, 5}, .columns = columns});
  std::ranges::copy(start().weights(), other.weights().begin());
  EXPECT_THROW(trained(other, data, short_run("b2ld", 2), options), InvalidOption);
}

TEST(Tables, MinibatchesInSinglePrecisionTrainThemToo) {
  const Dataset data = data_in_columns(mixed_columns(80), 1200);
  Scheme scheme = short_run("adam", 4);
  scheme.batches.precision = Precision::float32;
  const Trained single = trained(start(), data, scheme, {.objective = {.l2 = 1e-4}});
  scheme.batches.precision = Precision::float64;
  const Trained full = trained(start(), data, scheme, {.objective = {.l2 = 1e-4}});
  EXPECT_NEAR(single.result.value, full.result.value, 1e-3 * full.result.value);
  EXPECT_NE(weights_of(single.network), weights_of(full.network));
}

TEST(Tables, AnInfiniteInputIsRefusedAndAMissingOneIsNot) {
  Dataset data = data_in_columns(mixed_columns(80), 100);
  EXPECT_NO_THROW(trained(start(), data, short_run("b2ld", 1), {}));
  data.x(7, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(trained(start(), data, short_run("b2ld", 1), {}), InvalidOption);
}

}  // namespace
}  // namespace strata
