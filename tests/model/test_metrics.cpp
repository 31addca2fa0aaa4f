#include "strata/model/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "strata/core/errors.h"
#include "strata/data/read.h"
#include "support/files.h"
#include "support/models.h"

namespace strata {
namespace {

using support::refusal;
using support::TemporaryDirectory;
using testing::HasSubstr;

// Predictions are 81.25, 131.25 and 231.25: errors 10, -20 and 0, that is 0.2, -0.4 and 0 in scaled units.
constexpr auto three_rows = "c,x,y\nb,12,71.25\na,10,151.25\na,14,231.25\n";

TEST(Metrics, AreTheOnesComputedByHand) {
  const Metrics metrics = evaluate(support::reference(), parse_csv(three_rows, "rows"));
  EXPECT_EQ(metrics.rows, 3U);
  EXPECT_NEAR(metrics.mse, (0.04 + 0.16) / 3, 1e-15);
  ASSERT_EQ(metrics.rmse.size(), 1U);
  EXPECT_NEAR(metrics.rmse[0], std::sqrt(500.0 / 3), 1e-12);
  EXPECT_NEAR(metrics.mae[0], 10, 1e-12);
  EXPECT_NEAR(metrics.r2[0], 1 - 500.0 / 12800, 1e-12);  // the mean is 151.25, the deviations -80, 0 and 80
}

TEST(Metrics, SumTheSquaredErrorOverOutputs) {
  const Table table = parse_csv("x,a,b\n0,1,10\n1,3,50\n", "two");
  const Preprocessor preprocessor = Preprocessor::fit(table, {.targets = {"a", "b"}});
  const Network zero({.inputs = 1, .outputs = 2});  // predicts the smallest value of each target
  const Metrics metrics = evaluate({{zero}, preprocessor}, preprocessor.apply(table));
  EXPECT_DOUBLE_EQ(metrics.mse, 1);  // rows with squared errors 0 and 1 + 1
  EXPECT_THAT(metrics.mae, testing::ElementsAre(1, 20));
  EXPECT_DOUBLE_EQ(metrics.rmse[1], std::sqrt(800));
  EXPECT_DOUBLE_EQ(metrics.r2[0], -1);
}

// A row of weight 3 counts as three rows, one of weight 0 not at all.
TEST(Metrics, HonourTheWeightsOfRows) {
  const Model model = support::reference();
  Table table = parse_csv(three_rows, "rows");
  table.weights = {3, 1, 0};
  const Metrics metrics = evaluate(model, table);
  EXPECT_EQ(metrics.rows, 3U);
  EXPECT_NEAR(metrics.mse, (3 * 0.04 + 0.16) / 4, 1e-15);
  EXPECT_NEAR(metrics.rmse[0], std::sqrt((3 * 100.0 + 400) / 4), 1e-12);
  EXPECT_NEAR(metrics.mae[0], (3 * 10.0 + 20) / 4, 1e-12);
  EXPECT_NEAR(metrics.r2[0], 1 - 700.0 / 4800,
              1e-12);  // the mean is 91.25, the deviations -20 (three times) and 60
}

TEST(Metrics, HaveTheSameBitsForAnyNumberOfThreads) {
  const Model model = support::reference();
  std::string text = "c,x,y\n";
  for (int row = 0; row < 3000; ++row)
    text += "a," + std::to_string(row % 17) + "," + std::to_string(0.1 * row) + "\n";
  const Table table = parse_csv(text, "rows");
  const Metrics one = evaluate(model, table);
  for (const std::size_t threads : {2, 3}) {
    Engine engine({.threads = threads});
    const Metrics many = evaluate(model, table, engine);
    EXPECT_EQ(many.mse, one.mse);
    EXPECT_EQ(many.rmse, one.rmse);
    EXPECT_EQ(many.mae, one.mae);
    EXPECT_EQ(many.r2, one.r2);
  }
}

TEST(Metrics, HaveNoR2ForRowsThatAgree) {
  // A third has no exact mean over three rows; the deviation from it must not count.
  const Table table = parse_csv("c,x,y\nb,12,0.1\na,10,0.1\na,14,0.1\n", "constant");
  EXPECT_TRUE(std::isnan(evaluate(support::reference(), table).r2[0]));
}

TEST(Metrics, RefuseRowsOfAnotherKind) {
  const Model model = support::reference();
  EXPECT_THAT(refusal<DataError>([&] { evaluate(model, Dataset(0, 2, 1)); }),
              HasSubstr("there is no row to evaluate on"));
  EXPECT_THAT(refusal<DataError>([&] { evaluate(model, Dataset(2, 3, 1)); }),
              HasSubstr("the rows have 3 inputs and 1 targets where the network has 2 and 1"));
}

TEST(Metrics, OfAFileLookOnlyAtTheColumnsOfTheModel) {
  const TemporaryDirectory directory;
  const Model model = support::reference();
  const auto path =
      directory.file("rows.csv", "note,c,x,y\n1,b,12,71.25\n2,a,10,151.25\n\"oops, text\",a,14,231.25\n");
  EXPECT_NEAR(evaluate_file(model, path).mae[0], 10, 1e-12);
  const auto arff = directory.file("rows.arff",
                                   "@relation r\n@attribute c {a,b}\n@attribute x real\n@attribute y "
                                   "real\n@data\nb,12,71.25\na,10,151.25\n");
  EXPECT_NEAR(evaluate_file(model, arff).mae[0], 15, 1e-12);
  const auto lacking = directory.file("lacking.csv", "c,x\nb,12\n");
  EXPECT_THAT(refusal<DataError>([&] { evaluate_file(model, lacking); }),
              HasSubstr("there is no column 'y'"));
}

}  // namespace
}  // namespace strata
