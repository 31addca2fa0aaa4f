// Regression by other losses than the squared one: figures and predictions in own units.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "strata/core/errors.h"
#include "strata/data/read.h"
#include "strata/model/fit.h"
#include "strata/model/predict.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

FitOptions quick(const std::string& loss) {
  FitOptions options;
  options.preprocess.targets = {"y"};
  options.loss = loss;
  options.hidden = {};
  options.method = "lbfgs";
  options.limits.sweeps = 200;
  options.validation = {};
  options.l2.value = 0;
  return options;
}

// y = 0, 1, ..., 99 for every x.
Table spread() {
  std::string text = "x,y\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("{},{}\n", i % 2, i / 2);
  return parse_csv(text, "spread.csv");
}

TEST(RegressionLosses, QuantilesAreInOwnUnitsWithTheirCoverage) {
  FitOptions options = quick("quantile");
  options.loss_options.levels = {0.1, 0.5, 0.9};
  const FitResult result = fit(spread(), options);
  EXPECT_EQ(result.model.networks.front().architecture().outputs, 3U);
  Vector in{0.0};
  Vector out(3);
  predict(result.model, ConstMatrix(in.data(), 1, 1), {out.data(), 1, 3});
  EXPECT_NEAR(out[0], 10, 2.5);
  EXPECT_NEAR(out[1], 49.5, 2.5);
  EXPECT_NEAR(out[2], 89, 2.5);
  ASSERT_EQ(result.train.coverage.size(), 3U);
  EXPECT_NEAR(result.train.coverage[0], 0.1, 0.03);
  EXPECT_NEAR(result.train.coverage[2], 0.9, 0.03);
  double pinball = 0;  // of the level 0.1, by hand
  for (int y = 0; y < 100; ++y) pinball += (y >= out[0] ? 0.1 : -0.9) * (y - out[0]) / 100;
  EXPECT_NEAR(result.train.pinball[0], pinball, 0.05);
  EXPECT_NEAR(result.train.mae[0], 25, 0.1);  // of the median
  std::istringstream rows("x\n0\n");
  std::ostringstream written;
  predict_csv(parse_model(model_bytes(result.model), "m"), rows, "rows", written);
  EXPECT_THAT(written.str(), testing::StartsWith("y_q0.1,y_q0.5,y_q0.9\n"));
}

TEST(RegressionLosses, CountsAreMeansAndNotScaled) {
  std::string text = "x,y\n";
  for (int i = 0; i < 100; ++i) text += fmt::format("{},{}\n", i % 2, i % 2 == 0 ? 2 + i % 4 : 200 + i % 3);
  const Table table = parse_csv(text, "counts.csv");
  const FitResult result = fit(table, quick("poisson"));
  Vector in{0.0, 1.0};
  Vector out(2);
  predict(result.model, ConstMatrix(in.data(), 2, 1), {out.data(), 2, 1});
  EXPECT_NEAR(out[0], 3, 0.05);  // the means of the two groups
  EXPECT_NEAR(out[1], 201, 0.5);
  double deviance = 0;
  for (int i = 0; i < 100; ++i) {
    const double y = i % 2 == 0 ? 2 + i % 4 : 200 + i % 3;
    const double mean = out[static_cast<std::size_t>(i % 2)];
    deviance += 2 * (y * std::log(y / mean) - y + mean) / 100;
  }
  EXPECT_NEAR(result.train.deviance.at(0), deviance, 1e-9);
}

TEST(RegressionLosses, NegativeCountsAreNamed) {
  std::string text = "x,y\n";  // many rows: a split changes their order
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", i, i == 30 ? -3 : i);
  EXPECT_EQ(refusal<DataError>([&] { fit(parse_csv(text, "t"), quick("poisson")); }),
            "t, line 32, column 2: the target 'y' is -3, and the poisson loss needs 0 or more; change it, or "
            "leave out "
            "its row");
  Vector x(40), y(40);
  y[30] = -3;
  for (std::size_t i = 0; i < 40; ++i) x[i] = static_cast<double>(i);
  const NumericRows numbers{{x.data(), 40, 1}, {y.data(), 40, 1}};
  EXPECT_THAT(refusal<DataError>([&] { prepare(numbers, quick("poisson")); }),
              HasSubstr("the target of row 31 is -3"));
}

TEST(RegressionLosses, HuberIsLittleMovedByAnOutlier) {
  const auto constant = [](const std::string& loss) {
    FitOptions options = quick(loss);
    options.loss_options.delta = 0.05;
    std::string text = "x,y\n";
    for (int i = 0; i < 100; ++i) text += fmt::format("{},{}\n", i % 2, i == 50 ? 100000 : i % 7);
    const Model model = fit(parse_csv(text, "t"), options).model;
    Vector in{0.5};
    Vector out(1);
    predict(model, ConstMatrix(in.data(), 1, 1), {out.data(), 1, 1});
    return out[0];
  };
  EXPECT_NEAR(constant("squared"), 1003, 5);
  EXPECT_LT(std::abs(constant("huber") - 3), 60);
}

TEST(RegressionLosses, TextIsNoTargetOfThem) {
  EXPECT_THAT(refusal<Error>([] { fit(parse_csv("x,y\n1,a\n2,b\n3,c\n4,c\n", "t"), quick("huber")); }),
              HasSubstr("the text target 'y' has 3 values"));
}

}  // namespace
}  // namespace strata
