#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "strata/core/matrix.h"
#include "strata/data/table.h"
#include "strata/model/model.h"
#include "strata/parallel/engine.h"

namespace strata {

struct PredictOptions {
  std::size_t rows_at_once =
      4096;  // memory grows with this, not with the file; the predictions do not depend on it
  Engine* engine = &serial_engine();
};

// Predictions for rows in memory, in the targets' own units: rows x outputs. Numbers stand in the order of the model's
// inputs, which must all be numeric; a row that the model's policy drops for a missing value gives NaN.
void predict(const Model& model, ConstMatrix inputs, Matrix out, Engine& engine = serial_engine());
void predict(const Model& model, const Table& rows, Matrix out, Engine& engine = serial_engine());

// Reads CSV rows and writes predictions as CSV: a line with the names of the targets, then one line for each row, in
// the targets' own units and in the shortest form that reads back to the same bits. The file has the model's input columns
// by name, in any order; other columns are not looked at. A row that the model's policy drops for a missing value
// gives NA. Refuses a missing column, and a cell that cannot be used with its line. Returns the number of rows.
std::size_t predict_csv(const Model& model, std::istream& rows, std::string_view name_for_messages,
                        std::ostream& out, const PredictOptions& options = {});

// The same for a file that read_table knows. A CSV file, gzipped or not, is streamed; ARFF and KEEL files are read
// whole.
std::size_t predict_file(const Model& model, const std::filesystem::path& rows, std::ostream& out,
                         const PredictOptions& options = {});

}  // namespace strata
