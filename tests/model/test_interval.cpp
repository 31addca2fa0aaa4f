#include "strata/model/interval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "model/interval.h"
#include "strata/core/errors.h"
#include "strata/data/generators.h"
#include "strata/model/fit.h"
#include "strata/model/predict.h"
#include "support/files.h"
#include "support/models.h"

namespace strata {
namespace {

using support::refusal;
using testing::ElementsAre;
using testing::HasSubstr;

ConformalScores one_to(std::size_t rows) {
  std::vector<double> scores(rows);
  std::iota(scores.rbegin(), scores.rend(), 1.0);  // any order will do
  return {.rows = rows, .sorted = {kept_scores(scores)}};
}

TEST(ConformalScores, HaveTheRankOfSplitConformalPrediction) {
  EXPECT_EQ(one_to(9).at(0.9, 0), 9);    // (9 + 1) 0.9 = 9
  EXPECT_EQ(one_to(99).at(0.9, 0), 90);  // 100 * 0.9
  EXPECT_EQ(one_to(100).at(0.9, 0), 91);
  EXPECT_EQ(one_to(100).at(0.001, 0), 1);
}

TEST(ConformalScores, OfManyRowsAreThinnedAndNeverTooSmall) {
  const ConformalScores many = one_to(10001);
  EXPECT_EQ(many.sorted.front().size(), 2000);
  for (const double coverage : {0.01, 0.5, 0.9, 0.99, 0.9999}) {
    const double exact = std::ceil(10002 * coverage);
    EXPECT_GE(many.at(coverage, 0), exact);
    EXPECT_LE(many.at(coverage, 0), exact + 6);
  }
}

TEST(ConformalScores, RefuseWhatTheRowsCannotTell) {
  const auto problem = [](const ConformalScores& scores, double coverage) {
    return refusal<InvalidOption>([&] { (void)scores.at(coverage, 0); });
  };
  EXPECT_THAT(problem(one_to(18), 0.95), HasSubstr("needs at least 19 validation rows and the model had 18"));
  EXPECT_EQ(one_to(19).at(0.95, 0), 19);
  EXPECT_THAT(problem({}, 0.9), HasSubstr("without validation rows"));
  EXPECT_THAT(problem(one_to(50), 1), HasSubstr("between 0 and 1"));
}

TEST(ConformalScores, CountRowsThatAreNoBetter) {
  const ConformalScores one_list = one_to(99);
  EXPECT_DOUBLE_EQ(one_list.p_value(std::vector{90.0}), 0.11);  // 90 to 99, and the row itself
  EXPECT_DOUBLE_EQ(one_list.p_value(std::vector{90.5}), 0.1);
  const ConformalScores two{.rows = 4, .sorted = {{1, 2}, {3, 4}}, .folds = {1, 1}};
  EXPECT_DOUBLE_EQ(two.p_value(std::vector{2.0, 3.5}), 0.6);  // (1 + 1 + 1) / 5
  EXPECT_DOUBLE_EQ(two.p_value(std::vector{0.0, 9.0}), 0.6);
  EXPECT_DOUBLE_EQ(two.p_value(std::vector{5.0, 5.0}), 0.2);
}

TEST(ConformalScores, AreStoredWithTheModel) {
  Model model = support::house_model();
  model.conformal = {.rows = 3, .sorted = {{0.1, 1.0 / 3, 7}}};
  EXPECT_EQ(parse_model(model_bytes(model), "m").conformal, model.conformal);
  for (const char* const damaged :
       {"[]", R"({"rows":3,"sorted":[[3,2,1]]})", R"({"rows":3,"sorted":[[1,2]]})",
        R"({"rows":-1,"sorted":[]})", R"({"rows":3,"sorted":[["a",2,3]]})"})
    EXPECT_THROW(ConformalScores::from_json(damaged, "m"), DataError) << damaged;
  model.conformal.sorted.push_back({1, 2, 3});  // there is one target
  EXPECT_THROW(model_bytes(model), DataError);
}

TEST(ConformalScores, AreStoredWithTheirOffsetsForModelsThatHaveASpread) {
  Model model = support::house_model();
  model.networks.push_back(model.networks.front());
  model.conformal = {.rows = 1, .sorted = {{2}}, .offsets = {0.25}, .folds = {2}};
  EXPECT_EQ(parse_model(model_bytes(model), "m").conformal, model.conformal);
  for (const char* const damaged : {R"({"rows":1,"sorted":[[2]],"offsets":[1,2],"folds":[2]})",
                                    R"({"rows":1,"sorted":[[2]],"offsets":[0],"folds":[2]})",
                                    R"({"rows":1,"sorted":[[2]],"offsets":[-1],"folds":[2]})",
                                    R"({"rows":1,"sorted":[[2]],"offsets":[1],"folds":[-2]})",
                                    R"({"rows":1,"sorted":[[2]],"offsets":[1]})",
                                    R"({"rows":1,"sorted":[[2]],"offsets":"a","folds":[2]})"})
    EXPECT_THROW(ConformalScores::from_json(damaged, "m"), DataError) << damaged;
  for (const std::vector<std::size_t>& folds :
       std::vector<std::vector<std::size_t>>{{}, {1, 1}, {3}, {2, 2}}) {
    model.conformal.folds = folds;
    EXPECT_THAT(refusal<DataError>([&] { (void)parse_model(model_bytes(model), "m"); }),
                HasSubstr("'strata.conformal' does not fit the networks"));
  }
}

Model with_loss(const std::string& name, std::vector<double> levels = {0.5}) {
  Model model = support::house_model();
  model.loss = {.name = name, .options = {.levels = std::move(levels)}};
  model.conformal = {.rows = 1, .sorted = {{2}}};
  return model;
}

TEST(IntervalRule, AddsTheScoreInTheUnitOfTheLoss) {
  const auto bounds = [](const Model& model, std::vector<double> predictions) {
    const IntervalRule rule(model, 0.5);
    std::vector<double> out(rule.columns());
    rule.apply(predictions, out);
    return out;
  };
  EXPECT_THAT(bounds(with_loss("squared"), {10}), ElementsAre(8, 12));
  EXPECT_THAT(bounds(with_loss("poisson"), {9}), ElementsAre(3, 15));
  EXPECT_THAT(bounds(with_loss("poisson"), {1}), ElementsAre(0, 3));  // counts are not negative
  EXPECT_THAT(bounds(with_loss("quantile", {0.1, 0.5, 0.9}), {4, 5, 9}), ElementsAre(2, 11));
  Model narrow = with_loss("quantile", {0.1, 0.9});
  narrow.conformal.sorted = {{-3}};
  EXPECT_THAT(bounds(narrow, {4, 8}), ElementsAre(6, 6));  // never inside out
  const Model model = with_loss("squared");
  EXPECT_THAT(IntervalRule(model, 0.5).names(), ElementsAre("price_low", "price_high"));
}

TEST(IntervalRule, CoversNewRowsAsOftenAsItSays) {
  const Table table = friedman1({.rows = 4000, .noise = 1, .seed = 3});
  FitOptions options;
  options.preprocess.targets = {"y"};
  options.hidden = {10};
  options.validation.fraction = 0.25;
  options.limits.sweeps = 5;
  const Model model = fit(table, options).model;
  const Table fresh = friedman1({.rows = 4000, .noise = 1, .seed = 4});
  std::vector<double> predictions(fresh.rows());
  predict(model, fresh, {predictions.data(), fresh.rows(), 1});
  for (const double coverage : {0.5, 0.8, 0.95}) {
    const IntervalRule rule(model, coverage);
    double inside = 0;
    for (std::size_t row = 0; row < fresh.rows(); ++row) {
      double bounds[2];
      rule.apply({&predictions[row], 1}, bounds);
      const double truth = fresh.column("y").numbers[row];
      inside += bounds[0] <= truth && truth <= bounds[1] ? 1 : 0;
    }
    // 1000 validation and 4000 new rows: three standard deviations of either count.
    EXPECT_NEAR(inside / 4000, coverage,
                3 * std::sqrt(coverage * (1 - coverage) * (1 / 1000.0 + 1 / 4000.0)));
  }
}

TEST(IntervalRule, IsWiderWhereTheMembersDisagree) {
  Model model = with_loss("squared");
  model.networks.push_back(model.networks.front());
  model.conformal.offsets = {0.25};
  model.conformal.folds = {2};
  const IntervalRule rule(model, 0.5);
  double bounds[2];
  rule.apply(std::vector<double>{10, 0.75}, bounds);  // 2 (0.75 + 0.25)
  EXPECT_THAT(bounds, ElementsAre(8, 12));
  rule.apply(std::vector<double>{10, 1.75}, bounds);
  EXPECT_THAT(bounds, ElementsAre(6, 14));
}

TEST(IntervalRule, OfSeveralMembersCoversNewRowsAsOftenAsItSays) {
  FitOptions options;
  options.preprocess.targets = {"y"};
  options.hidden = {10};
  options.members = 6;
  options.knots = 8;
  options.bends = {0.1, 0.2, 0.3};  // members of three share their rows
  options.limits.sweeps = 5;
  const Model model = fit(friedman1({.rows = 4000, .noise = 1, .seed = 3}), options).model;
  ASSERT_EQ(model.conformal.offsets.size(), 1);
  ASSERT_EQ(model.conformal.folds.size(), 2);
  const Table fresh = friedman1({.rows = 4000, .noise = 1, .seed = 4});
  Vector predictions(2 * fresh.rows());
  predict(model, fresh, {predictions.data(), fresh.rows(), 2}, serial_engine(), Predicted::for_intervals);
  for (const double coverage : {0.5, 0.8, 0.95}) {
    const IntervalRule rule(model, coverage);
    double inside = 0;
    for (std::size_t row = 0; row < fresh.rows(); ++row) {
      double bounds[2];
      rule.apply({&predictions[2 * row], 2}, bounds);
      const double truth = fresh.column("y").numbers[row];
      inside += bounds[0] <= truth && truth <= bounds[1] ? 1 : 0;
    }
    EXPECT_NEAR(inside / 4000, coverage, 0.02);  // 1142 rows in two folds
  }
}

TEST(IntervalRule, FindsTheSpreadForItselfAndWritesItOnRequest) {
  FitOptions options;
  options.preprocess.targets = {"y"};
  options.hidden = {4};
  options.members = 2;
  options.limits.sweeps = 2;
  FitData data = prepare(friedman1({.rows = 300, .noise = 1, .seed = 3}), options);
  data.validation = data.train;  // for both
  const Model model = fit(std::move(data), options).model;
  ASSERT_THAT(model.conformal.folds, ElementsAre(2));
  const auto written = [&](bool spread) {
    std::istringstream in("x1,x2,x3,x4,x5,x6,x7,x8,x9,x10\n0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1\n");
    std::ostringstream out;
    predict_csv(model, in, "rows.csv", out, {.coverage = 0.9, .spread = spread});
    return out.str();
  };
  const std::string without = written(false);
  EXPECT_THAT(without, testing::StartsWith("y,y_low,y_high\n"));
  const std::string with = written(true);
  EXPECT_THAT(with, testing::StartsWith("y,y_std,y_low,y_high\n"));
  EXPECT_THAT(with, testing::EndsWith(without.substr(without.find(',', 15))));  // the same bounds
}

FitOptions class_options() {
  FitOptions options;
  options.preprocess.targets = {"class"};
  options.hidden = {10};
  options.limits.sweeps = 5;
  return options;
}

TEST(IntervalRule, OfClassesComparesANewRowWithTheRowsOfEachFold) {
  FitOptions options = class_options();
  options.members = 4;
  const Model model = fit(spirals({.rows = 3000, .classes = 3, .noise = 0.3, .seed = 1}), options).model;
  ASSERT_THAT(model.conformal.folds, ElementsAre(1, 1, 1, 1));
  ASSERT_EQ(model.conformal.sorted.size(), 4);
  const Table fresh = spirals({.rows = 3000, .classes = 3, .noise = 0.3, .seed = 2});
  const std::size_t columns = predicted_columns(model, Predicted::for_intervals);
  ASSERT_EQ(columns, 3 * (1 + 4));
  Vector predictions(columns * fresh.rows());
  predict(model, fresh, {predictions.data(), fresh.rows(), columns}, serial_engine(),
          Predicted::for_intervals);
  for (std::size_t k = 0; k < 3; ++k) {
    double mean = 0;
    for (std::size_t fold = 1; fold <= 4; ++fold) mean += predictions[3 * fold + k] / 4;
    EXPECT_NEAR(mean, predictions[k], 1e-12);  // members of equal weight, calibrated once
  }
  const std::vector<std::string>& labels = model.preprocessor.classes();
  for (const double coverage : {0.5, 0.8, 0.95}) {
    const IntervalRule rule(model, coverage, true);
    double inside = 0;
    for (std::size_t row = 0; row < fresh.rows(); ++row) {
      double set[3];
      rule.apply({&predictions[columns * row], columns}, set);
      const auto truth = std::ranges::find(labels, fresh.column("class").text(row)) - labels.begin();
      inside += set[truth];
    }
    EXPECT_NEAR(inside / 3000, coverage, 0.025);
  }
}

TEST(IntervalRule, OfClassesIsStoredWithItsFolds) {
  FitOptions options = class_options();
  options.members = 2;
  Model model = fit(spirals({.rows = 300, .classes = 3, .noise = 0.3, .seed = 1}), options).model;
  EXPECT_EQ(parse_model(model_bytes(model), "m").conformal, model.conformal);
  for (const std::vector<std::size_t>& folds :
       std::vector<std::vector<std::size_t>>{{1}, {2}, {0, 2}, {1, 1, 1}}) {
    model.conformal.folds = folds;
    EXPECT_THAT(refusal<DataError>([&] { (void)parse_model(model_bytes(model), "m"); }),
                HasSubstr("'strata.conformal' does not fit"));
  }
  EXPECT_THROW(ConformalScores::from_json(R"({"rows":2,"sorted":[[2],[]],"folds":[1,1]})", "m"), DataError);
}

TEST(IntervalRule, GivesTheSetOfClassesAndWritesIt) {
  const Table table = spirals({.rows = 600, .classes = 3, .noise = 0.3, .seed = 1});
  FitOptions options = class_options();
  options.validation.fraction = 0.3;
  const Model model = fit(table, options).model;
  const IntervalRule rule(model, 0.9);
  std::vector<double> set(3);
  rule.apply(std::vector<double>{0.34, 0.33, 0.33}, set);
  EXPECT_EQ(set[0], 1);
  std::istringstream in("x1,x2\n0.1,0.2\n,3\n");
  std::ostringstream out;
  PredictOptions written{.rows = {.missing = MissingPolicy::drop}, .coverage = 0.9};
  predict_csv(model, in, "rows.csv", out, written);
  EXPECT_THAT(out.str(), testing::StartsWith("class,class_set\n"));
  EXPECT_THAT(out.str(), testing::EndsWith("NA,NA\n"));
}

}  // namespace
}  // namespace strata
