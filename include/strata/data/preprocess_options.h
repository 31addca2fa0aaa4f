#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/fields.h"
#include "strata/data/encode.h"
#include "strata/data/scale.h"

namespace strata {

enum class MissingPolicy {
  refuse,  // an error that names line and column
  drop,    // rows with any missing input or target are left out
  impute,  // inputs: the mean, or the most frequent category, and a 0/1 indicator; targets are never imputed
};
constexpr auto names_of(MissingPolicy) {
  return std::to_array<std::string_view>({"refuse", "drop", "impute"});
}

// What a target column is taken for. Classification has one target, whose values are the labels of classes.
enum class Task {
  automatic,   // classification where there is one target and it holds text, regression otherwise
  regression,  // a text target of two values is 0 or 1
  classification,
};
constexpr auto names_of(Task) {
  return std::to_array<std::string_view>({"auto", "regression", "classification"});
}

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

  void fields(auto& list) {
    list("target", targets, may_be_empty,
         "column to predict, by name or by its position, counted from 1; several with commas");
    list("task", task,
         "what is predicted; auto means classification of a column of text, regression of numbers");
    list("categorical", categorical, may_be_empty, "numeric columns to treat as categories");
    list("numeric", numeric, may_be_empty, "text columns to treat as numbers");
    list("ignore", ignore, may_be_empty, "columns to leave out");
    list("missing", missing,
         "missing cells, where drop leaves out the row and impute adds an indicator column");
    list("unseen", unseen, "categories that were not in the training rows");
    list("max-categories", max_categories, not_negative, "leave out a text column with more categories");
    list("scale", scale, "scale of the inputs");
    list("target-scale", target_scale, "scale of the target");
  }
};

// Refuses whatever would otherwise be decided for the user: missing cells and targets, unseen categories, useless columns.
void make_strict(PreprocessOptions& options);

}  // namespace strata
