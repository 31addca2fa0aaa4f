#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/data/preprocess.h"
#include "strata/data/table.h"
#include "strata/model/model.h"
#include "strata/network/network.h"
#include "strata/objective/packed_rows.h"
#include "strata/parallel/engine.h"

namespace strata {

// How far predictions are from targets. A two-valued text target counts as 0 or 1. Where rows have weights, all means are
// weighted, as the training loss is; rows of weight 0 do not count.
struct Metrics {
  std::size_t rows = 0;
  // Scaled units, as the training loss: mean over rows of the squared error summed over outputs.
  double mse = 0;
  // The following have one entry for each target, in its own units.
  std::vector<double> rmse = {};
  std::vector<double> mae = {};
  // 1 - squared error / squared deviation from the rows' mean; NaN (JSON: null) when all rows have the same target.
  std::vector<double> r2 = {};
};

// `scaled` holds rows as the preprocessor makes them, inputs and targets. Refuses an empty set, and one of other sizes.
// Processes that share the rows call together. Sums are exact until rounded once: the order of the rows does not matter.
Metrics evaluate(const Network& network, const Preprocessor& preprocessor, const Dataset& scaled,
                 Engine& engine = serial_engine());
// The same for rows that are packed, on their engine.
Metrics evaluate(const Network& network, const Preprocessor& preprocessor, const PackedRows& scaled);

// The rows of a table with the model's columns, targets included, as they stand in a file.
Metrics evaluate(const Model& model, const Table& table, Engine& engine = serial_engine());

// A file that read_table knows, read as the training file was: columns the model does not have are not looked at.
Metrics evaluate_file(const Model& model, const std::filesystem::path& path,
                      Engine& engine = serial_engine());

}  // namespace strata
