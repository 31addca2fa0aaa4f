#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/model/metrics.h"

namespace strata {

struct ImportanceOptions {
  std::size_t repeats = 5;        // shuffles of each column, >= 1
  std::size_t most_rows = 10000;  // more rows than these are drawn from
  std::uint64_t seed = 1;
};

// How much a model's error grows when the values of one input are shuffled among the rows.
struct Importance {
  std::string input;
  double increase = 0;  // mean over the shuffles, in units of the error
  double spread = 0;    // standard deviation over the shuffles
};

struct Importances {
  std::string_view error;  // which: log_loss, deviance or rmse, the mean over several targets
  double value = 0;        // with all inputs in their places
  std::size_t rows = 0;
  std::vector<Importance> inputs = {};  // the most important first
};

// Permutation importance, on rows with the model's columns, targets included. Use rows that did not train.
Importances permutation_importance(const Model& model, const Table& table,
                                   const ImportanceOptions& options = {}, Engine& engine = serial_engine());

// The mean prediction when every row has this value of an input: a number or the name of a category.
struct DependencePoint {
  std::string text;
  double value = 0;     // of a number
  double response = 0;  // the prediction of the first target, or the probability of the last class
};

// Partial dependence on one input, over at most `points` quantiles of its numbers or its most frequent categories.
std::vector<DependencePoint> partial_dependence(const Model& model, const Table& table,
                                                const std::string& input, std::size_t points = 20,
                                                Engine& engine = serial_engine());

}  // namespace strata
