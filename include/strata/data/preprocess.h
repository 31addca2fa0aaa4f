#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/data/dataset.h"
#include "strata/data/encode.h"
#include "strata/data/numeric_rows.h"
#include "strata/data/preprocess_options.h"
#include "strata/data/read.h"
#include "strata/data/table.h"
#include "strata/data/target.h"
#include "strata/parallel/communicator.h"

namespace strata {

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
  static Preprocessor fit(const NumericRows& numbers, std::span<const std::size_t> training_rows,
                          const PreprocessOptions& options, Communicator& processes = single_process());

  // Inputs and targets of all rows, or of some rows in the order given. Rows dropped by policy are left out.
  [[nodiscard]] Dataset apply(const Table& table) const;
  [[nodiscard]] Dataset apply(const Table& table, std::vector<std::size_t> rows) const;
  [[nodiscard]] Dataset apply(const NumericRows& numbers, std::span<const std::size_t> rows) const;
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

  [[nodiscard]] const std::vector<ColumnEncoding>& inputs() const { return inputs_; }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] InputLayout layout() const;  // of the data sets that apply gives
  [[nodiscard]] std::size_t features() const { return layout().features(); }
  [[nodiscard]] std::size_t outputs() const { return target_.outputs(); }
  [[nodiscard]] std::vector<std::string> feature_names() const;  // "age", "colour=red", "age is missing"
  [[nodiscard]] std::vector<std::string> input_names() const;    // of the raw columns
  [[nodiscard]] std::vector<std::string> target_names() const { return target_.names(); }
  [[nodiscard]] std::vector<std::string> classes() const { return target_.labels(); }

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
  Target target_;
  MissingPolicy missing_ = MissingPolicy::refuse;
  bool drop_rows_without_target_ = false;
  TextStyle style_ = {};  // of the file
  UnseenPolicy unseen_ = UnseenPolicy::refuse;
  bool expand_inputs_ = true;
};

}  // namespace strata
