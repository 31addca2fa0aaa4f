// Rows of numbers in memory: prepared, trained on and predicted as the same rows of a table are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "strata/core/errors.h"
#include "strata/data/generators.h"
#include "strata/data/shared_rows.h"
#include "strata/data/shared_table.h"
#include "strata/model/fit.h"
#include "strata/model/predict.h"
#include "strata/parallel/thread_communicator.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::HasSubstr;

constexpr std::size_t inputs = 5;

struct Sample {
  Table table;
  Vector x;
  Vector y;
  Vector weights = {};

  explicit Sample(std::size_t rows, std::uint64_t seed = 1)
      : table(friedman1({.rows = rows, .inputs = inputs, .seed = seed})) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < inputs; ++k) x.push_back(table.columns[k].numbers[row]);
      y.push_back(table.columns[inputs].numbers[row]);
    }
  }
  [[nodiscard]] NumericRows numbers() const {
    return {{x.data(), y.size(), inputs}, {y.data(), y.size(), 1}, weights};
  }
  void set_weights(const std::vector<double>& given) {
    table.weights = given;
    weights.assign(given.begin(), given.end());
  }
};

FitOptions quick_numbers() {
  FitOptions options;
  options.preprocess.targets = {"y"};
  options.hidden = {5};
  options.limits.sweeps = 3;
  return options;
}

std::vector<double> cycle(std::size_t rows, const std::vector<double>& values) {
  std::vector<double> all;
  for (std::size_t row = 0; row < rows; ++row) all.push_back(values[row % values.size()]);
  return all;
}

// Every row as often as its weight says.
Sample repeated(const Sample& sample, const std::vector<double>& weights) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < weights.size(); ++row)
    for (double k = 0; k < weights[row]; ++k) rows.push_back(row);
  Sample out(2);
  out.table = take_rows(sample.table, rows);
  out.x.clear();
  out.y.clear();
  for (const std::size_t row : rows) {
    for (std::size_t k = 0; k < inputs; ++k) out.x.push_back(sample.x[row * inputs + k]);
    out.y.push_back(sample.y[row]);
  }
  return out;
}

TEST(Numbers, ArePreparedToTheSameBitsAsATable) {
  Sample sample(60);
  sample.set_weights(cycle(60, {1, 0, 2.5}));
  FitOptions options = quick_numbers();
  options.test.fraction = 0.2;
  const FitData a = prepare(sample.numbers(), options);
  const FitData b = prepare(sample.table, options);
  EXPECT_EQ(a.preprocessor, b.preprocessor);
  EXPECT_EQ(a.train.inputs, b.train.inputs);
  EXPECT_EQ(a.train.targets, b.train.targets);
  EXPECT_EQ(a.train.weights, b.train.weights);
  EXPECT_EQ(a.validation->inputs, b.validation->inputs);
  EXPECT_EQ(a.validation->weights, b.validation->weights);
  EXPECT_EQ(a.test->targets, b.test->targets);
}

TEST(Numbers, ThatProcessesShareArePreparedAsByOne) {
  Sample sample(90);
  sample.set_weights(cycle(90, {1, 0, 2.5}));
  const Sample other(8, 2);
  const NumericRows watched = other.numbers();
  const RowSource of_one(watched);
  const FitData whole = prepare(sample.numbers(), quick_numbers(), {.validation = &of_one});
  const std::vector<std::size_t> bounds{0, 50, 50, 90};  // the second process has no rows
  run_as_processes(3, [&](Communicator& processes) {
    const std::size_t begin = bounds[processes.rank()];
    const std::size_t rows = bounds[processes.rank() + 1] - begin;
    const NumericRows own{{sample.x.data() + begin * inputs, rows, inputs},
                          {sample.y.data() + begin, rows, 1},
                          std::span<const double>(sample.weights).subspan(begin, rows)};
    const NumericRows shared =
        share_numbers(processes.rank() == 0
                          ? watched
                          : NumericRows{{watched.inputs.data(), 0, inputs}, {watched.targets.data(), 0, 1}},
                      processes);
    const RowSource validation(shared, processes);
    const FitData part =
        prepare({share_numbers(own, processes), processes}, quick_numbers(), {.validation = &validation});
    EXPECT_EQ(part.preprocessor, whole.preprocessor);
    const Dataset expected = share_rows(whole.train, processes);
    EXPECT_EQ(part.train.inputs, expected.inputs);
    EXPECT_EQ(part.train.targets, expected.targets);
    EXPECT_EQ(part.train.weights, expected.weights);
    EXPECT_EQ(part.train.all_rows(), 90U);
    EXPECT_EQ(part.validation->inputs, share_rows(*whole.validation, processes).inputs);
  });
}

TEST(Numbers, ThatAreViewedInAWiderMatrixGiveTheSameRows) {
  const Sample sample(40);
  Vector wide(40 * (inputs + 3), std::nan(""));
  for (std::size_t row = 0; row < 40; ++row)
    std::copy_n(sample.x.begin() + static_cast<std::ptrdiff_t>(row * inputs), inputs,
                wide.begin() + static_cast<std::ptrdiff_t>(row * (inputs + 3)));
  NumericRows strided = sample.numbers();
  strided.inputs = {wide.data(), 40, inputs, inputs + 3};
  EXPECT_EQ(prepare(strided, quick_numbers()).train.inputs,
            prepare(sample.numbers(), quick_numbers()).train.inputs);
}

TEST(Numbers, AWeightScalesAsTheRowRepeatedDoes) {
  for (const Scaling scaling : {Scaling::standard, Scaling::minmax}) {
    Sample sample(30);
    const std::vector<double> weights = cycle(30, {3, 0, 1, 2});
    const Sample many = repeated(sample, weights);
    sample.set_weights(weights);
    FitOptions options = quick_numbers();
    options.validation = {};
    options.preprocess.scale = options.preprocess.target_scale = scaling;
    const FitData once = prepare(sample.numbers(), options);
    const FitData often = prepare(many.numbers(), options);
    EXPECT_NEAR(once.train.inputs[0], often.train.inputs[0], 1e-12);
    EXPECT_NEAR(once.preprocessor.target().to_own_units(0), often.preprocessor.target().to_own_units(0),
                1e-12);
    EXPECT_NEAR(once.preprocessor.target().to_own_units(1), often.preprocessor.target().to_own_units(1),
                1e-12);
  }
}

TEST(Numbers, AWeightedTableFillsInAndEncodesAsTheRowRepeatedDoes) {
  const auto fitted = [](const std::vector<double>& numbers, const std::vector<std::int32_t>& codes,
                         const std::vector<double>& weights) {
    Table table;
    const std::vector<double> target(numbers.size(), 1.0);
    table.columns = {numeric_column("a", numbers), nominal_column("b", {"p", "q", "r"}, codes),
                     numeric_column("y", target)};
    table.weights = weights;
    return Preprocessor::fit(table, {.targets = {"y"}, .missing = MissingPolicy::impute}).to_json();
  };
  const double gap = Column::missing_number;
  const std::vector<double> numbers{1, 5, 9, gap};
  EXPECT_EQ(fitted(numbers, {0, 1, 2, 1}, {3, 1, 0, 1}),
            fitted({1, 1, 1, 5, gap}, {0, 0, 0, 1, 1}, {}));  // r has no say, p is the most frequent
}

TEST(Numbers, GivenValidationRowsAreUsedWhole) {
  const Sample sample(40);
  const Sample other(7, 2);
  const NumericRows watched = other.numbers();
  const RowSource validation(watched);
  const FitData data = prepare(sample.numbers(), quick_numbers(), {.validation = &validation});
  EXPECT_EQ(data.train.rows, 40U);
  EXPECT_EQ(data.validation->rows, 7U);
}

TEST(Numbers, AFittedPreprocessorAndAStartGoOnWhereTheLastRunEnded) {
  const Sample sample(60);
  FitOptions options = quick_numbers();
  const FitResult first = fit(prepare(sample.numbers(), options), options);
  const Sample other(50, 2);
  FitData data = prepare(other.numbers(), options, {.preprocessor = &first.model.preprocessor});
  EXPECT_EQ(data.preprocessor, first.model.preprocessor);
  data.start = first.model.networks;
  options.limits.sweeps = 1;
  options.method = "elm";  // touches the output layer alone
  const FitResult next = fit(data, options);
  EXPECT_TRUE(std::ranges::equal(next.model.networks.front().weights({0, 0}),
                                 first.model.networks.front().weights({0, 0})));
  options.hidden = {6};
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(data, options); }),
              HasSubstr("the network to train is 5-6-1"));
}

TEST(Numbers, ArePredictedAsTheSameRowsOfATable) {
  const Sample sample(1100);
  const FitOptions options = quick_numbers();
  const Model model = fit(prepare(sample.numbers(), options), options).model;
  Vector from_numbers(1100), from_table(1100), on_threads(1100);
  predict(model, sample.numbers().inputs, {from_numbers.data(), 1100, 1});
  Engine engine({.threads = 3});
  predict(model, sample.numbers().inputs, {on_threads.data(), 1100, 1}, engine);
  predict(model, sample.table, {from_table.data(), 1100, 1});
  EXPECT_EQ(from_numbers, from_table);
  EXPECT_EQ(from_numbers, on_threads);
}

TEST(Numbers, ARowThatIsDroppedForAMissingValueIsPredictedAsNan) {
  Sample sample(40);
  FitOptions options = quick_numbers();
  options.preprocess.missing = MissingPolicy::drop;
  const Model model = fit(prepare(sample.table, options), options).model;
  Vector whole(40), gaps(40);
  predict(model, sample.table, {whole.data(), 40, 1});
  sample.table.columns[1].numbers[3] = Column::missing_number;
  predict(model, sample.table, {gaps.data(), 40, 1});
  EXPECT_TRUE(std::isnan(gaps[3]));
  EXPECT_EQ(gaps[2], whole[2]);
  EXPECT_EQ(gaps[4], whole[4]);
}

TEST(Numbers, OfAnotherWidthOrForAModelOfCategoriesAreRefused) {
  const Sample sample(40);
  FitOptions options = quick_numbers();
  const Model model = fit(prepare(sample.numbers(), options), options).model;
  Vector out(40);
  const ConstMatrix narrow(sample.x.data(), 40, inputs - 1);
  EXPECT_EQ(refusal<DataError>([&] {
              predict(model, narrow, {out.data(), 40, 1});
            }),
            "numbers: the rows have 4 columns where the model has 5");
  options.preprocess.targets = {"price"};
  const Model houses = fit(housing({.rows = 40}), options).model;
  EXPECT_FALSE(houses.preprocessor.takes_numbers());
  EXPECT_THAT(refusal<DataError>([&] {
                predict(houses, narrow, {out.data(), 40, 1});
              }),
              HasSubstr("column 'garden' was encoded from categories"));
  NumericRows uneven = sample.numbers();
  uneven.targets = {sample.y.data(), 39, 1};
  EXPECT_EQ(refusal<InvalidOption>([&] { prepare(uneven, options); }),
            "option 'targets' = '39 rows': the inputs have 40");
  NumericRows one = sample.numbers();
  one.inputs = {sample.x.data(), 1, inputs};
  one.targets = {sample.y.data(), 1, 1};
  options.validation = {};
  EXPECT_THAT(refusal<DataError>([&] { prepare(one, options); }), HasSubstr("there is one row to train on"));
}

TEST(ModelBytes, AreThoseOfTheFile) {
  const support::TemporaryDirectory directory;
  const Sample sample(40);
  const Model model = fit(prepare(sample.numbers(), quick_numbers()), quick_numbers()).model;
  const auto path = directory.path() / "model";
  save_model(path, model);
  std::ifstream file(path, std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(model_bytes(model), written);
  EXPECT_EQ(model_bytes(parse_model(written, "bytes")), written);
  EXPECT_THAT(refusal<DataError>([&] { parse_model("no model", "bytes"); }), HasSubstr("bytes: "));
}

}  // namespace
}  // namespace strata
