// What is decided for the user, and said, instead of a refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/core/random.h"
#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "strata/model/fit.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// y with some inputs; `cells` writes the other cells of a row.
template <class Cells>
Table table_of(const std::string& names, std::size_t rows, Cells cells) {
  RandomStream stream(1);
  std::string text = names + ",x,y\n";
  for (std::size_t row = 0; row < rows; ++row)
    text +=
        cells(row) + "," + std::to_string(stream.uniform()) + "," + std::to_string(stream.uniform()) + "\n";
  return parse_csv(text, "t.csv");
}

FitOptions quick_defaults(PreprocessOptions preprocess = FitOptions().preprocess) {
  FitOptions options;
  options.preprocess = std::move(preprocess);
  options.preprocess.targets = {"y"};
  options.hidden = {3};
  return options;
}

PreprocessOptions strict() {
  PreprocessOptions options;
  options.useless = ColumnPolicy::refuse;
  return options;
}

struct Useless {
  const char* name;
  std::string (*cell)(std::size_t row);
  const char* fault;
};

class UselessColumns : public ::testing::TestWithParam<Useless> {};

TEST_P(UselessColumns, AreLeftOutAndNamedOrRefused) {
  const Table table = table_of("a", 400, GetParam().cell);
  const FitData data = prepare(table, quick_defaults());
  EXPECT_THAT(data.preprocessor.input_names(), ElementsAre("x"));
  EXPECT_THAT(data.notices, ElementsAre(HasSubstr(std::string("t.csv: column 'a' ") + GetParam().fault)));
  EXPECT_THAT(
      refusal<DataError>([&] { prepare(table, quick_defaults(strict())); }),
      AllOf(HasSubstr("column 'a' "), ::testing::AnyOf(HasSubstr("--ignore a"), HasSubstr("has no value"))));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, UselessColumns,
    ::testing::Values(
        Useless{"empty", [](std::size_t) { return std::string(); }, "has no value and is left out"},
        Useless{"constant", [](std::size_t) { return std::string("7"); },
                "has the same value in every row and is left out"},
        Useless{"word", [](std::size_t) { return std::string("same"); },
                "has the same value in every row and is left out"},
        Useless{"names", [](std::size_t row) { return "n" + std::to_string(row); },
                "has another text in every row (--categorical a keeps it)"},
        Useless{"kinds", [](std::size_t row) { return "n" + std::to_string(row % 290); }, "has "},
        Useless{"count", [](std::size_t row) { return std::to_string(row + 5); },
                "numbers the rows (--numeric a keeps it)"}),
    [](const auto& tested) { return tested.param.name; });

TEST(SafeDefaults, ColumnsThatAreNamedAreKept) {
  PreprocessOptions options = FitOptions().preprocess;
  options.numeric = {"a"};
  EXPECT_THAT(
      prepare(table_of("a", 40, [](std::size_t row) { return std::to_string(row); }), quick_defaults(options))
          .preprocessor.input_names(),
      ElementsAre("a", "x"));
}

TEST(SafeDefaults, MissingValuesAreFilledAndRowsWithoutTargetLeftOut) {
  std::string text = "a,b,y\n";
  for (int row = 0; row < 60; ++row)
    text += (row % 5 == 0 ? "" : std::to_string(row * 7 % 11)) + (row % 2 == 0 ? ",u," : ",v,") +
            (row % 10 == 3 ? "" : std::to_string(row * 3 % 7)) + "\n";
  const Table table = parse_csv(text, "t.csv");
  const FitData data = prepare(table, quick_defaults());
  EXPECT_THAT(data.notices, ElementsAre(HasSubstr("missing values are filled in"),
                                        "t.csv: 6 of 60 rows have no 'y' and are left out"));
  EXPECT_THAT(data.notices[0], AllOf(HasSubstr("(a 12)"), HasSubstr("--missing drop or --missing refuse")));
  EXPECT_THAT(data.preprocessor.feature_names(), ElementsAre("a", "a is missing", "b=v"));
  EXPECT_EQ(data.train.rows + data.validation->rows, 54U);
  EXPECT_THAT(refusal<DataError>([&] { prepare(table, quick_defaults(strict())); }),
              HasSubstr("has no value"));
}

TEST(SafeDefaults, ARunDoesNotStumbleOverItsOwnValidationRows) {
  const Table table = table_of("a", 500, [](std::size_t row) { return "n" + std::to_string(row % 300); });
  PreprocessOptions options = FitOptions().preprocess;
  options.max_categories = 1000;
  EXPECT_EQ(prepare(table, quick_defaults(options)).validation->rows, 75U);
  options.unseen = UnseenPolicy::refuse;
  EXPECT_EQ(prepare(table, quick_defaults(options)).validation->rows, 75U);
}

TEST(SafeDefaults, ACleanTableIsTakenAsItIs) {
  const Table table = table_of("a", 100, [](std::size_t row) { return std::to_string(row * 7 % 13); });
  const FitData data = prepare(table, quick_defaults());
  EXPECT_THAT(data.notices, IsEmpty());
  FitOptions before =
      quick_defaults(PreprocessOptions{.scale = Scaling::standard, .target_scale = Scaling::standard});
  const FitData strictly = prepare(table, before);
  EXPECT_EQ(data.train.inputs, strictly.train.inputs);
  EXPECT_EQ(data.validation->inputs, strictly.validation->inputs);
}

}  // namespace
}  // namespace strata
