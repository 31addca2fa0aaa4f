// Golden runs: the bits of short training runs, recorded once, so that a change of structure cannot change results
// unseen. A hash covers the final weights and every sweep record. runs.txt has a line for each instruction set, method,
// network and bias; a network is named by its activation, or by the kind of its first layer: tables, or a radial one by its
// activation. On an instruction set without lines the test is skipped, and so is a case that was recorded on
// others only, which happens when it is new and no such machine is at hand. Where rounding moves for a good
// reason, record the runs again with scripts/record_golden_runs and give the reason in the commit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/columns.h"
#include "support/instruction_sets.h"
#include "support/training.h"

namespace strata {
namespace {

using testing_support::random_network;
using testing_support::random_weights;
using testing_support::smooth_data;
using testing_support::trained;
using testing_support::Trained;

// FNV-1a over eight bytes at a time.
class Hash {
 public:
  void add(std::uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte) value_ = (value_ ^ ((bits >> (8 * byte)) & 0xffU)) * 0x100000001b3U;
  }
  // All NaN are one: their payload is not a promise.
  void add(double number) {
    add(number != number ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(number));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

void add(Hash& hash, const SweepRecord& record) {
  for (const double number :
       {record.mean_loss, record.value, record.gradient_norm, record.validation_loss, record.step_size})
    hash.add(number);
  for (const std::uint64_t count :
       {std::uint64_t{record.batch_size}, std::uint64_t{record.refused}, std::uint64_t{record.undone},
        record.work.forward, record.work.backward, record.work.weight_gradient, record.work.evaluations})
    hash.add(count);
}

void add(Hash& hash, const Trained& run) {
  for (const double weight : run.network.weights()) hash.add(weight);
  for (const SweepRecord& record : run.result.history) add(hash, record);
  hash.add(run.result.value);
}

struct Case {
  std::string_view method;
  std::string network;
  Architecture architecture;
  [[nodiscard]] std::string name() const {
    return fmt::format("{} {} {}", method, network, to_string(architecture.bias));
  }
};

// Two hidden layers that read their inputs in different ways.
std::vector<Architecture> networks() {
  std::vector<Architecture> all;
  for (const Activation activation :
       {Activation::linear, Activation::sigmoid, Activation::tanh, Activation::relu, Activation::leaky_relu,
        Activation::elu, Activation::softplus, Activation::silu})
    for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
      all.push_back({.activation = activation, .bias = bias});
  for (const Activation centres :
       {Activation::gaussian, Activation::multiquadric, Activation::inverse_multiquadric})
    all.push_back({.activations = {centres, Activation::sigmoid}});
  all.push_back({.columns = testing_support::mixed_columns()});
  for (Architecture& network : all) {
    network.inputs = network.columns.empty() ? 3 : network.columns.size();
    network.hidden = {5, 4};
  }
  return all;
}

std::string name_of_network(const Architecture& network) {
  return std::string(network.columns.empty() ? to_string(network.activation_of(0)) : "tables");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const MethodInfo& method : methods())
    for (const Architecture& network : networks())
      all.push_back({method.name, name_of_network(network), network});
  return all;
}

Dataset data_for(const Architecture& network, std::size_t rows, std::size_t outputs, std::uint64_t seed = 1) {
  return network.columns.empty() ? smooth_data(rows, network.inputs, outputs, seed)
                                 : testing_support::data_in_columns(network.columns, rows, outputs, seed);
}

Trained run(const Case& c, std::size_t outputs, Precision precision, bool weighted) {
  Dataset data = data_for(c.architecture, 150, outputs);
  if (weighted) data.weights = random_weights(data.rows);
  const Dataset validation = data_for(c.architecture, 20, outputs, 9);
  Architecture architecture = c.architecture;
  architecture.outputs = outputs;
  const Network start = random_network(architecture, 2, 0.9);
  Scheme scheme = preset(c.method, start.layers());
  scheme.batches.precision = precision;
  scheme.stopping = {.max_sweeps = 3};
  return trained(start, data, scheme,
                 {.objective = {.l2 = 1e-4}, .seed = 3, .validation = {.data = &validation}});
}

// One hash for all combinations of outputs, precision of minibatches, and weights of rows.
std::string hash(const Case& c) {
  Hash hash;
  const bool minibatches = preset(c.method, 3).batches.size > 0;
  for (const std::size_t outputs : {1U, 2U})
    for (const Precision precision : {Precision::float64, Precision::float32})
      for (const bool weighted : {false, true})
        if (minibatches || precision == Precision::float64) add(hash, run(c, outputs, precision, weighted));
  return hash.text();
}

// "method network bias" -> hash, of one instruction set, and the cases that any has.
struct Golden {
  std::map<std::string, std::string> here;
  std::set<std::string, std::less<>> anywhere;
};

Golden recorded_for(const std::string& instruction_set) {
  std::ifstream file(STRATA_GOLDEN_RUNS);
  Golden golden;
  for (std::string set, method, network, bias, hash; file >> set >> method >> network >> bias >> hash;) {
    const std::string name = fmt::format("{} {} {}", method, network, bias);
    golden.anywhere.insert(name);
    if (set == instruction_set) golden.here[name] = hash;
  }
  return golden;
}

class GoldenRuns : public testing_support::EveryInstructionSet {};

TEST_P(GoldenRuns, HaveTheBitsThatWereRecorded) {
  const std::string instruction_set = hwy::TargetName(GetParam());
  if (const char* path = std::getenv("STRATA_RECORD_GOLDEN_RUNS")) {
    std::ofstream file(path, std::ios::app);
    for (const Case& c : cases()) file << instruction_set << ' ' << c.name() << ' ' << hash(c) << '\n';
    ASSERT_TRUE(file.flush());
    return;
  }
  const Golden golden = recorded_for(instruction_set);
  if (golden.here.empty()) GTEST_SKIP() << "no runs were recorded on " << instruction_set;
  for (const Case& c : cases()) {
    const auto found = golden.here.find(c.name());
    if (found != golden.here.end())
      EXPECT_EQ(hash(c), found->second) << c.name();
    else if (golden.anywhere.contains(c.name()))
      fmt::print("not recorded on {}: {}\n", instruction_set, c.name());
    else
      ADD_FAILURE() << "no run was recorded for " << c.name();
  }
}

TEST(GoldenHash, ChangesWithTheLastBitOfOneWeight) {
  Trained run{random_network({.inputs = 2, .hidden = {3}}), {}};
  Hash before;
  add(before, run);
  double& weight = run.network.weights()[4];
  weight = std::bit_cast<double>(std::bit_cast<std::uint64_t>(weight) ^ 1U);
  Hash after;
  add(after, run);
  EXPECT_NE(before.text(), after.text());
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, GoldenRuns,
                         testing::ValuesIn(testing_support::instruction_sets()),
                         testing_support::name_of_instruction_set);

}  // namespace
}  // namespace strata
