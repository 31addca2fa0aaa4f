#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/data/dataset.h"
#include "strata/data/encode.h"
#include "strata/data/numbers.h"
#include "strata/data/read.h"
#include "strata/data/scale.h"
#include "strata/data/table.h"
#include "strata/parallel/communicator.h"

namespace strata {

enum class MissingPolicy {
  refuse,  // an error that names line and column
  drop,    // rows with any missing input or target are left out
  impute,  // inputs: the mean, or the most frequent category, and a 0/1 indicator; targets are never imputed
};

// What a target column is taken for. Classification has one target, whose values are the labels of classes.
enum class Task {
  automatic,   // classification where there is one target and it holds text, regression otherwise
  regression,  // a text target of two values is 0 or 1
  classification,
};

// Columns that can teach nothing: without any value, with the same value in every row, with another text in every row, with
// more than max_categories categories, or that number the rows.
enum class ColumnPolicy {
  keep,       // one without values or with too many categories is refused, the others take part
  refuse,     // each is refused by its name
  leave_out,  // each takes no part, and a notice names it
};

struct PreprocessOptions {
  std::vector<std::string> targets = {};  // one or several; empty: what the file declares (KEEL @outputs)
  Task task = Task::automatic;
  std::vector<std::string> ignore = {};       // columns that take no part
  std::vector<std::string> categorical = {};  // one-hot even though they hold numbers
  std::vector<std::string> numeric = {};      // numbers even though they were read as text
  MissingPolicy missing = MissingPolicy::refuse;
  bool drop_rows_without_target = false;  // refused otherwise; missing = drop implies it
  UnseenPolicy unseen = UnseenPolicy::refuse;
  std::size_t max_categories = 256;           // a column with more holds names rather than kinds
  ColumnPolicy useless = ColumnPolicy::keep;  // columns that are named numeric or categorical are always kept
  Scaling scale = Scaling::minmax;
  Scaling target_scale = Scaling::minmax;
  // Categories become 0/1 features, missing values are filled in, with a 0/1 feature that says so. False: every input column
  // stays one feature (InputLayout::expand), for a network whose first layer takes codes and NaN.
  bool expand_inputs = true;
  // The paper's reading: scales, categories and fill values come from every row of the table, not only from
  // the training rows. Test rows then have a say in the scaling; use it to compare with published figures only.
  bool fit_scale_on_all_rows = false;
};

// The column of the table that a classification predicts; none for a regression.
std::optional<std::size_t> class_target(const Table& table, const PreprocessOptions& options);

// Refuses whatever would otherwise be decided for the user: missing cells and targets, unseen categories, useless columns.
void make_strict(PreprocessOptions& options);

// From raw columns to numbers, and back for the target: everything learnt from the training rows, in one
// object that is stored with a model and applied to new files.
class Preprocessor {
 public:
  static Preprocessor fit(const Table& table,
                          const PreprocessOptions& options);  // every row is a training row
  // Processes that share a table call it together, each with its own rows, and get the same preprocessor.
  // `notices` gets a sentence for everything that was decided for the user.
  static Preprocessor fit(const Table& table, std::span<const std::size_t> training_rows,
                          const PreprocessOptions& options, Communicator& processes = single_process(),
                          std::vector<std::string>* notices = nullptr);
  // Every column is a number and is only scaled: of the options, the scalings count.
  static Preprocessor fit(const Numbers& numbers, std::span<const std::size_t> training_rows,
                          const PreprocessOptions& options, Communicator& processes = single_process());

  // Inputs and targets of all rows, or of some rows in the order given. Rows dropped by policy are left out.
  [[nodiscard]] Dataset apply(const Table& table) const;
  [[nodiscard]] Dataset apply(const Table& table, std::vector<std::size_t> rows) const;
  [[nodiscard]] Dataset apply(const Numbers& numbers, std::span<const std::size_t> rows) const;
  // For prediction: the table needs no target column, and the data set has no outputs.
  [[nodiscard]] Dataset apply_inputs(const Table& table) const;
  [[nodiscard]] Dataset apply_inputs(const Table& table, std::vector<std::size_t> rows) const;

  // The same encodings with another treatment of what is missing or unseen.
  [[nodiscard]] Preprocessor with_policies(MissingPolicy missing, UnseenPolicy unseen) const;
  [[nodiscard]] MissingPolicy missing() const { return missing_; }
  [[nodiscard]] UnseenPolicy unseen() const { return unseen_; }

  // True when every input is a number that is only scaled; the following are for such preprocessors, and refuse others and
  // rows of another width.
  [[nodiscard]] bool takes_numbers() const;
  void check_numbers(std::size_t columns) const;
  void apply_inputs(ConstMatrix raw, Matrix scaled) const;

  // Those of the given rows that the policy keeps: what apply (with targets) or apply_inputs (without) turn into data.
  [[nodiscard]] std::vector<std::size_t> usable_rows(const Table& table, std::vector<std::size_t> rows,
                                                     bool with_targets) const;

  // Scaled targets or predictions, rows x outputs, into the target's own units and back. Classes are their codes in both,
  // a two-valued text target of a regression is 0 or 1.
  [[nodiscard]] double to_own_units(double scaled, std::size_t output = 0) const;
  [[nodiscard]] double to_scaled(double value, std::size_t output = 0) const;
  void to_own_units(Matrix scaled) const;

  [[nodiscard]] const std::vector<ColumnEncoding>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<ColumnEncoding>& targets() const { return targets_; }

  [[nodiscard]] InputLayout layout() const;  // of the data sets that apply gives
  [[nodiscard]] std::size_t features() const { return layout().features(); }
  [[nodiscard]] std::size_t outputs() const { return targets_.size(); }
  [[nodiscard]] std::vector<std::string> feature_names() const;  // "age", "colour=red", "age is missing"
  [[nodiscard]] std::vector<std::string> input_names() const;    // of the raw columns
  [[nodiscard]] std::vector<std::string> target_names() const;
  // The texts behind 0, 1, ...; empty for a numeric target.
  [[nodiscard]] const std::vector<std::string>& target_categories(std::size_t output = 0) const;
  // The labels of a classification, in the order of their codes; empty for a regression.
  [[nodiscard]] std::vector<std::string> classes() const;

  // Reads a new file as the training file was read, so that the code 07 does not become the number 7.
  [[nodiscard]] ReadOptions read_options(bool with_targets) const;

  // Text in which every double keeps its last bit.
  [[nodiscard]] std::string to_json() const;
  static Preprocessor from_json(std::string_view json);

  friend bool operator==(const Preprocessor&, const Preprocessor&) = default;

 private:
  [[nodiscard]] Dataset encode(const Table& table, std::span<const std::size_t> rows,
                               bool with_targets) const;

  std::vector<ColumnEncoding> inputs_;
  std::vector<ColumnEncoding> targets_;
  MissingPolicy missing_ = MissingPolicy::refuse;
  bool drop_rows_without_target_ = false;
  TextStyle style_ = {};  // of the file
  UnseenPolicy unseen_ = UnseenPolicy::refuse;
  bool expand_inputs_ = true;
};

}  // namespace strata
