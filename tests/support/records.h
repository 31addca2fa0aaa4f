#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "study/record.h"

namespace strata::support {

// A record of ccpp on 10x50 under the paper's protocol; tests change what they are about.
inline RunRecord record(const std::string& method, std::uint64_t seed, double objective) {
  return {.variant = "paper",
          .data = "ccpp",
          .network = "10x50",
          .method = method,
          .seed = seed,
          .reason = "time_limit",
          .variables = 22800,
          .train_rows = 7654,
          .test_rows = 1914,
          .l2 = 1e-9,
          .limit = 7.5,
          .objective = objective,
          .gradient_norm = 2e-4,
          .train_mse = objective,
          .test_mse = 2 * objective,
          .test_r2 = 0.75,
          .seconds = 1.25,
          .sweeps = 7,
          .updates_per_layer = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5},
          .curve = {{0, 1}, {1, objective}}};
}

inline RunRecord record(const std::string& method, std::uint64_t seed, double objective,
                        const std::string& data, const std::string& network) {
  RunRecord made = record(method, seed, objective);
  made.data = data;
  made.network = network;
  if (network == "1x50") made.updates_per_layer = {8, 9};
  if (network == "5x50") made.updates_per_layer = {3, 3, 3, 3, 3, 5};
  return made;
}

// As a line of runs.jsonl, without its end.
inline std::string line(const RunRecord& run) {
  return fmt::format(
      R"({{"data":"{}","variant":"{}","limit":{},"method":"{}","network":"{}","n":{},"l2":{},"seed":{},)"
      R"("rows":{{"train":{},"test":{}}},"objective":{},"train_mse":{},"test_mse":{},"r2":{{"test":{}}},)"
      R"("gradient_norm":{},"seconds":{},"sweeps":{},"reason":"{}","updates_per_layer":[{}],"curve":[[0,1],[1,{}]]}})",
      run.data, run.variant, run.limit, run.method, run.network, run.variables, run.l2, run.seed,
      run.train_rows, run.test_rows, run.objective, run.train_mse, run.test_mse, run.test_r2,
      run.gradient_norm, run.seconds, run.sweeps, run.reason, fmt::join(run.updates_per_layer, ","),
      run.objective);
}

}  // namespace strata::support
