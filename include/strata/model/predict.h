#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/data/read.h"
#include "strata/data/table.h"
#include "strata/data/text_style.h"
#include "strata/model/model.h"
#include "strata/parallel/engine.h"

namespace strata {

// What is written for a classification.
struct ClassOutput {
  bool probabilities = false;            // a column for each class, "y=red", instead of the label
  std::optional<double> threshold = {};  // two classes: the second where its probability is at least this
  bool empty_sets = false;               // the set of a row may have no class
};

// How new rows are read and treated; what is not given is as in training.
struct NewRows {
  TextStyle style = {};
  std::optional<MissingPolicy> missing = {};
  std::optional<UnseenPolicy> unseen = {};
};

Preprocessor treated(const Preprocessor& preprocessor, const NewRows& how);

struct PredictOptions {
  std::size_t rows_at_once =
      4096;  // memory grows with this, not with the file; the predictions do not depend on it
  Engine* engine = &serial_engine();
  ClassOutput classes = {};
  NewRows rows = {};
  std::optional<double> coverage =
      {};  // further columns: bounds of each target ("y_low", "y_high"), or the set of classes ("y_set")
  std::vector<std::string> keep = {};  // columns of the file that are written before the predictions
  bool spread = false;  // a further column for each, "y_std": the standard deviation over the members
};

// How many predictions there are for a row, and their names: one for each target, the probability of each class ("y=red"),
// or each quantile where several were trained ("y_q0.05").
std::size_t predicted_columns(const Model& model);
std::vector<std::string> predicted_names(const Model& model);

// Tasks that so many rows in memory are cut into: more threads than that have nothing to do.
std::size_t prediction_tasks(std::size_t rows);

// What the columns hold.
enum class Predicted {
  response,  // predictions in the targets' own units
  scores,  // classification: what becomes probabilities, the log-odds of each of two classes or a score for each of
           // several; else as response
  with_spread,  // response, then for each of its columns the standard deviation of what the members predict, with the
                // divisor members - 1; refused for a model of one network
  for_intervals,  // what IntervalRule needs: response and, where its bounds go by it, a spread for each column: the mean
  // over the folds of the standard deviation of what the members of a fold predict. For classes of several
  // folds: response, then that of each fold's members
};
std::size_t predicted_columns(const Model& model, Predicted what);

// Predictions for rows in memory: rows x predicted_columns. Numbers stand in the order of the model's
// inputs, which must all be numeric; a row that the model's policy drops for a missing value gives NaN.
void predict(const Model& model, ConstMatrix inputs, Matrix out, Engine& engine = serial_engine(),
             Predicted what = Predicted::response);
void predict(const Model& model, const Table& rows, Matrix out, Engine& engine = serial_engine(),
             Predicted what = Predicted::response, const NewRows& how = {});

// Reads rows, piece by piece, and writes predictions as CSV: a line with the names of the kept columns and of the others, then one line for each row: labels
// of classes, or numbers in the targets' own units and in the shortest form that reads back to the same bits. The file has the model's input columns
// by name, in any order; other columns are not looked at. A row that the model's policy drops for a missing value
// gives NA. Refuses a missing column, and a cell that cannot be used with its line. Returns the number of rows.
std::size_t predict_csv(const Model& model, std::istream& rows, std::string_view name_for_messages,
                        std::ostream& out, const PredictOptions& options = {});

// The same for rows of any origin, opened with the options below.
std::size_t predict_rows(const Model& model, TableReader& rows, std::ostream& out,
                         const PredictOptions& options = {});

// The same for a file that read_table knows, or - for standard input.
std::size_t predict_file(const Model& model, const std::filesystem::path& rows, std::ostream& out,
                         const PredictOptions& options = {});

// How new rows are opened: with the model's columns alone, inputs or targets too, written as the training file was but
// for what is given.
ReadOptions reading_of(const Model& model, const PredictOptions& options);
ReadOptions reading_with_targets(const Model& model, const NewRows& how);

}  // namespace strata
