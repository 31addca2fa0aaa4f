// One run of the paper's experiments: a data set, a network and a method under the paper's protocol, one JSON object.
//   paper_run california 10x50 b2ld --seed 1 --seconds 15
//   paper_run mv 5x50 bling --epochs 130
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "strata/core/errors.h"
#include "strata/trainers/l2_path.h"
#include "strata/trainers/presets.h"
#include "study/protocol.h"

namespace {

using strata::InvalidOption;
using strata::L2PathResult;

const std::map<std::string, std::vector<std::size_t>> networks{{"1x50", {50}},
                                                               {"3x20", {20, 20, 20}},
                                                               {"200-50-200", {200, 50, 200}},
                                                               {"5x50", std::vector<std::size_t>(5, 50)},
                                                               {"10x50", std::vector<std::size_t>(10, 50)}};

std::filesystem::path raw_directory() {
  const char* given = std::getenv("STRATA_DATA");
  return given != nullptr ? given : "../shared/data/raw";
}

struct Arguments {
  std::string data, network, method;
  std::map<std::string, double> numbers{{"--seed", 1},           {"--seconds", 0},
                                        {"--epochs", 0},         {"--threads", 1},
                                        {"--batch", 0},          {"--rate", 0},
                                        {"--epsilon", 0},        {"--delta", 0},
                                        {"--forward", 0},        {"--gradient-every-sweep", 0},
                                        {"--trace", 0},          {"--target", 0},
                                        {"--processor-time", 0}, {"--l2", 0},
                                        {"--auto-l2", 0},        {"--validation", 0},
                                        {"--patience", 0},       {"--export", 0},
                                        {"--precision", 0}};
};

Arguments parse(int argc, char** argv) {
  if (argc < 4)
    throw strata::Error(
        "usage: paper_run DATA NETWORK METHOD [--seed N] [--seconds S] [--epochs N] [--threads N] [--batch "
        "N] "
        "[--rate R] [--epsilon E] [--delta D] [--gradient-every-sweep 1] [--forward 1] [--target F] "
        "[--processor-time 1] [--l2 R] [--auto-l2 1] [--validation FRACTION] [--patience N] [--trace 1] "
        "[--export 1] [--precision 32|64]");
  Arguments arguments{argv[1], argv[2], argv[3]};
  for (int i = 4; i + 1 < argc; i += 2) {
    const auto known = arguments.numbers.find(argv[i]);
    if (known == arguments.numbers.end())
      throw InvalidOption(argv[i], argv[i + 1], "is not an option of this program");
    known->second = std::stod(argv[i + 1]);
  }
  return arguments;
}

strata::Scheme make_scheme(const Arguments& arguments, std::size_t layers) {
  const auto& numbers = arguments.numbers;
  strata::Scheme scheme = strata::preset(arguments.method, layers);
  if (arguments.method == "b2ld") {
    strata::B2ldOptions options;
    if (numbers.at("--epsilon") > 0) options.epsilon = numbers.at("--epsilon");
    if (numbers.at("--delta") > 0) options.delta = numbers.at("--delta");
    options.gradient_when_idle = numbers.at("--gradient-every-sweep") == 0;  // rule (i) of the paper
    scheme = strata::b2ld(options);
  }
  if (arguments.method == "adam" && numbers.at("--rate") > 0)
    scheme.updates.hidden = strata::adam({.rate = numbers.at("--rate"), .cosine = true});
  if (numbers.at("--forward") > 0) scheme.selection = strata::forward_sweep();
  if (numbers.at("--batch") > 0) scheme.batches.size = static_cast<std::size_t>(numbers.at("--batch"));
  if (const double bits = numbers.at("--precision"); bits == 32 || bits == 64)
    scheme.batches.precision = bits == 32 ? strata::Precision::float32 : strata::Precision::float64;
  else if (bits != 0)
    throw strata::InvalidOption("--precision", std::to_string(bits), "use 32 or 64");
  if (numbers.at("--epochs") > 0)
    scheme.stopping.max_sweeps = static_cast<std::size_t>(numbers.at("--epochs"));
  if (numbers.at("--seconds") > 0) {
    scheme.stopping.seconds = numbers.at("--seconds");
    if (numbers.at("--epochs") == 0 && scheme.batches.size > 0) scheme.stopping.max_sweeps = 0;
  }
  if (numbers.at("--target") > 0) scheme.stopping.target = numbers.at("--target");
  if (numbers.at("--trace") > 0)
    scheme.observers.sweep = [](const strata::SweepRecord& record) { std::cerr << to_json(record) << '\n'; };
  return scheme;
}

double mean_squared_error(const strata::Network& network, const strata::Dataset& data) {
  strata::Vector out(data.rows * data.outputs);
  network.predict(data.x(), {out.data(), data.rows, data.outputs});
  strata::add_scaled(out, -1, data.targets);
  return strata::squared_norm(out) / static_cast<double>(data.rows);
}

// For other programs that are to start from the same point: rows, weights (fan_in x fan_out a layer), l2.
void write_problem(const strata::Dataset& data, const strata::Network& network, double l2) {
  nlohmann::ordered_json weights = nlohmann::ordered_json::array();
  for (std::size_t l = 0; l < network.layers(); ++l) {
    const strata::ConstMatrix layer = network.layer(l);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < layer.rows(); ++i)
      rows.push_back(std::vector<double>(layer.row(i).begin(), layer.row(i).end()));
    weights.push_back(std::move(rows));
  }
  std::cout << nlohmann::ordered_json{
      {"rows", data.rows},
      {"inputs", data.inputs},
      {"targets", data.targets},
      {"weights", std::move(weights)},
      {"l2", l2}}.dump();
}

nlohmann::ordered_json path_of(const L2PathResult& run) {
  nlohmann::ordered_json path = nlohmann::ordered_json::array();
  for (const strata::L2PathPoint& point : run.path)
    path.push_back({{"l2", point.l2},
                    {"objective", point.value},
                    {"validation_loss", point.validation_loss},
                    {"sweeps", point.sweeps},
                    {"seconds", point.seconds}});
  return path;
}

void run(const Arguments& arguments) {
  const auto hidden = networks.find(arguments.network);
  if (hidden == networks.end())
    throw InvalidOption("network", arguments.network, "use 1x50, 3x20, 200-50-200, 5x50 or 10x50");
  const auto seed = static_cast<std::uint64_t>(arguments.numbers.at("--seed"));
  const strata::FitData data = strata::load_protocol(arguments.data, raw_directory());

  strata::Network network(
      {.inputs = data.train.features, .hidden = hidden->second, .bias = strata::Bias::input});
  initialise(network, {.kind = strata::Initialisation::uniform, .scale = 0.5}, strata::RandomStream(seed));
  // r = 1e-3 / (n P): see docs/mathematics.md.
  const double given_l2 = arguments.numbers.at("--l2");
  const double paper_l2 = 1e-3 / (static_cast<double>(network.size()) * static_cast<double>(data.train.rows));
  const double l2 = given_l2 > 0 ? given_l2 : paper_l2;
  if (arguments.numbers.at("--export") > 0) return write_problem(data.train, network, l2);
  const auto threads = static_cast<std::size_t>(arguments.numbers.at("--threads"));
  const strata::Scheme scheme = make_scheme(arguments, network.layers());
  const bool processor_time = arguments.numbers.at("--processor-time") > 0;
  const strata::TrainOptions options{
      .objective = {.l2 = l2, .threads = threads},
      .seed = seed,
      .validation = {.fraction = arguments.numbers.at("--validation"),
                     .patience = static_cast<std::size_t>(arguments.numbers.at("--patience"))},
      .clock = processor_time ? strata::processor_clock() : strata::steady_clock()};
  const L2PathResult run = arguments.numbers.at("--auto-l2") > 0
                               ? train_along_l2_path(network, data.train, scheme, options)
                               : L2PathResult{l2, train(network, data.train, scheme, options), {}};
  const strata::TrainingResult& result = run.training;

  std::size_t fallbacks = 0;
  for (const strata::StepRecord& step : result.steps) fallbacks += step.fallback ? 1 : 0;
  std::cout << nlohmann::ordered_json{{"data", arguments.data},
                                      {"network", arguments.network},
                                      {"method", scheme.name},
                                      {"seed", seed},
                                      {"n", network.size()},
                                      {"objective", result.value},
                                      {"gradient_norm", result.gradient_norm},
                                      {"l2", run.l2},
                                      {"l2_path", path_of(run)},
                                      {"validation_loss", result.validation_loss},
                                      {"best_sweep", result.best_sweep},
                                      {"test_mse", mean_squared_error(network, *data.test)},
                                      {"seconds", result.seconds},
                                      {"elapsed_seconds", result.elapsed_seconds},
                                      {"sweeps", result.sweeps},
                                      {"reason", to_string(result.reason)},
                                      {"updates_per_layer", result.updates_per_layer},
                                      {"steps", result.steps.size()},
                                      {"fallbacks", fallbacks},
                                      {"refused", result.refused},
                                      {"evaluations", result.work.evaluations}}
                   .dump()
            << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  run(parse(argc, argv));
  return 0;
} catch (const std::exception& error) {
  std::cerr << "paper_run: " << error.what() << '\n';
  return 2;
}
