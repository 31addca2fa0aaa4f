#include "strata/model/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "strata/core/errors.h"
#include "strata/data/generators.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::HasSubstr;

Table houses(std::size_t rows = 200) { return housing({.rows = rows, .seed = 1}); }

FitOptions quick() {
  FitOptions options;
  options.preprocess.targets = {"price"};
  options.hidden = {5};
  options.limits.sweeps = 3;
  return options;
}

std::vector<double> sorted(const Dataset& data) {
  std::vector<double> targets(data.targets.begin(), data.targets.end());
  std::sort(targets.begin(), targets.end());
  return targets;
}

TEST(Prepare, RowsAreSplitAndEveryRowIsInOnePart) {
  FitOptions options = quick();
  options.test.fraction = 0.25;
  const FitData data = prepare(houses(), options);
  EXPECT_EQ(data.test->rows, 50U);
  EXPECT_EQ(data.validation->rows, 23U);  // 0.15 of the 150 left
  EXPECT_EQ(data.train.rows, 127U);
}

TEST(Prepare, TheSeedDecidesTheSplit) {
  FitOptions options = quick();
  const auto validation = sorted(*prepare(houses(), options).validation);
  EXPECT_EQ(sorted(*prepare(houses(), options).validation), validation);
  options.seed = 2;
  EXPECT_NE(sorted(*prepare(houses(), options).validation), validation);
}

TEST(Prepare, ScalesComeFromTheTrainingRowsAlone) {
  const FitData data = prepare(houses(), quick());
  double sum = 0;
  for (const double target : data.train.targets) sum += target;
  EXPECT_NEAR(sum / static_cast<double>(data.train.rows), 0, 1e-12);  // standard scaling
  double held_out = 0;
  for (const double target : data.validation->targets) held_out += target;
  EXPECT_GT(std::abs(held_out), 1e-6);
}

TEST(Prepare, HeldOutRowsMayComeFromAFile) {
  const support::TemporaryDirectory directory;
  FitOptions options = quick();
  options.preprocess.targets = {"y"};
  options.validation = {
      .file = directory.file("v.csv", "x1,x2,x3,x4,x5,y\n.1,.2,.3,.4,.5,7\n.2,.3,.4,.5,.6,8\n")};
  const FitData data = prepare(friedman1({.rows = 20, .inputs = 5}), options);
  EXPECT_EQ(data.train.rows, 20U);
  EXPECT_EQ(data.validation->rows, 2U);
  EXPECT_FALSE(data.test);
}

TEST(Prepare, AnAbsentTargetIsRefusedWithTheColumnsNearestFirst) {
  FitOptions options = quick();
  options.preprocess.targets = {"Prise"};
  EXPECT_EQ(
      refusal<DataError>([&] { prepare(houses(), options); }),
      "housing: there is no column 'Prise' to predict; its columns, nearest first: price, area, age, rooms, "
      "garden, distance, condition");
}

// Their mean, which fills missing values, would be infinite, and the model could not be read back.
TEST(Prepare, NumbersWhoseMeanOverflowsAreRefusedBeforeTraining) {
  FitOptions options = quick();
  options.preprocess.targets = {"y"};
  options.preprocess.scale = options.preprocess.target_scale = Scaling::none;
  options.validation = {};
  for (const char* const rows :
       {"x,y\n1.7e308,1\n1.7e308,2\n1.6e308,3\n", "x,y\n1,1.7e308\n2,-1.7e308\n3,1e308\n"})
    EXPECT_THAT(refusal<DataError>([&] { prepare(parse_csv(rows, "big.csv"), options); }),
                HasSubstr("spread too far to be scaled in doubles"))
        << rows;
}

TEST(Prepare, FractionsThatLeaveNothingAreRefused) {
  FitOptions options = quick();
  options.validation.fraction = 1;
  EXPECT_THAT(refusal<InvalidOption>([&] { prepare(houses(), options); }), HasSubstr("'validation' = '1'"));
  options.validation.fraction = 0.15;
  EXPECT_THAT(refusal<InvalidOption>([&] { prepare(houses(2), options); }), HasSubstr("too few of 2 rows"));
}

TEST(Fit, TellsTheErrorsOfEachSetAndPredictsTheSameAfterwards) {
  FitOptions options = quick();
  options.test.fraction = 0.2;
  options.limits.sweeps = 30;
  const FitData data = prepare(houses(), options);
  const FitResult result = fit(data, options);
  EXPECT_GT(result.train.r2[0], 0.5);
  EXPECT_EQ(result.test->rows, 40U);
  EXPECT_EQ(evaluate(result.model, *data.test).rmse, result.test->rmse);
}

// Missing cells and categories that training had not reach the network as they are, in training and in prediction.
TEST(Fit, KnotsGiveTheFirstLayerTables) {
  FitOptions options = quick();
  options.preprocess.missing = MissingPolicy::impute;
  options.preprocess.unseen = UnseenPolicy::zeros;
  options.knots = 12;
  options.limits.sweeps = 30;
  options.test.fraction = 0.2;
  Table table = houses(400);
  Column& area = table.columns[table.index("area")];
  for (std::size_t row = 0; row < 400; row += 7) area.numbers[row] = Column::missing_number;
  const FitData data = prepare(table, options);
  const FitResult result = fit(data, options);
  const std::vector<ColumnBasis>& columns = result.model.networks.front().architecture().columns;
  ASSERT_EQ(columns.size(), table.columns.size() - 1);
  EXPECT_EQ(columns[0].kind, ColumnBasis::Kind::piecewise);
  EXPECT_EQ(columns[0].knots.size(), 12U);
  EXPECT_TRUE(columns[0].missing);
  const auto condition = columns.back();
  EXPECT_EQ(condition.kind, ColumnBasis::Kind::category);
  EXPECT_FALSE(condition.missing);
  EXPECT_GT(result.train.r2[0], 0.8);
  EXPECT_EQ(evaluate(result.model, *data.test).rmse, result.test->rmse);

  const support::TemporaryDirectory directory;
  save_model(directory.path() / "model", result.model);
  const Model read = load_model(directory.path() / "model");
  EXPECT_EQ(read.networks.front().architecture(), result.model.networks.front().architecture());
  EXPECT_EQ(evaluate(read, *data.test).rmse, result.test->rmse);
  EXPECT_EQ(nlohmann::json::parse(inspect_json(read))["schema"], 3);
}

TEST(Fit, KnotsAreOfNoEffectWithoutHiddenLayers) {
  FitOptions options = quick();
  options.hidden = {};
  const FitResult plain = fit(houses(), options);
  options.knots = 12;
  const FitResult with_knots = fit(houses(), options);
  EXPECT_TRUE(std::ranges::equal(plain.model.networks.front().weights(),
                                 with_knots.model.networks.front().weights()));
  options.hidden = {5};
  options.knots = 1;
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(houses(), options); }), HasSubstr("use at least 2, or 0"));
}

TEST(Fit, TheSameOptionsGiveTheSameBits) {
  const FitResult one = fit(houses(), quick());
  const FitResult two = fit(houses(), quick());
  EXPECT_TRUE(std::ranges::equal(one.model.networks.front().weights(), two.model.networks.front().weights()));
}

TEST(Fit, LimitsReplaceTheMethodsOwn) {
  FitOptions options = quick();
  options.method = "ig";
  options.patience = 0;
  options.limits = {.seconds = 0.05};
  Stopping rules;
  const FitResult result =
      fit(houses(), options, {.started = [&](const FitStart& start) { rules = start.stopping; }});
  EXPECT_EQ(rules.max_sweeps, 0U);
  EXPECT_EQ(result.training.reason, StopReason::time_limit);
  options.limits = {.seconds = 100, .sweeps = 2};
  EXPECT_EQ(fit(houses(), options).training.sweeps, 2U);
}

TEST(Fit, AnInterruptEndsTheRunWithTheBestSoFar) {
  FitOptions options = quick();
  options.limits.sweeps = 1000000;
  int asked = 0;
  const FitResult result = fit(houses(), options, {.interrupt = [&] { return ++asked > 20; }});
  EXPECT_EQ(result.training.reason, StopReason::user_request);
  EXPECT_GT(result.train.rmse[0], 0);
}

TEST(Fit, EndsAfterTheSweepForWhichItIsToldTo) {
  FitOptions options = quick();
  options.limits.sweeps = 1000;
  const auto second = [](const SweepRecord& record) { return record.sweep == 1; };
  const FitResult result = fit(houses(), options, {.after_sweep = second});
  EXPECT_EQ(result.training.reason, StopReason::user_request);
  EXPECT_EQ(result.training.sweeps, 2U);
}

TEST(Fit, EndsWithTheWeightsOfTheLowestValidationErrorOnceItNoLongerFalls) {
  FitOptions options = quick();
  options.limits.sweeps = 100000;
  options.l2.value = 0;
  options.hidden = {30};
  options.patience = 5;
  std::vector<double> errors;
  const FitResult result = fit(
      houses(60), options,
      {.observers = {.sweep = [&](const SweepRecord& record) { errors.push_back(record.validation_loss); }}});
  EXPECT_EQ(result.training.reason, StopReason::early_stopping);
  EXPECT_EQ(errors.size(), result.training.best_sweep + options.patience);
  EXPECT_DOUBLE_EQ(result.validation->mse, *std::min_element(errors.begin(), errors.end()));
}

TEST(Fit, AutomaticL2FollowsFromTheRowsAndFromWhatIsLeftOfTheLoss) {
  FitOptions options = quick();
  options.l2.rule = L2::Rule::automatic;
  EXPECT_LT(fit(houses(), options).l2, 0.3 / 170);  // prices have little noise
  options.limits.sweeps = 1;
  const FitResult result = fit(houses(), options);
  EXPECT_DOUBLE_EQ(result.l2, 1.0 / 170);
  options.l2 = {.value = result.l2};
  EXPECT_EQ(result.training.value, fit(houses(), options).training.value);
}

TEST(Fit, AutomaticL2IsTheUsualOneWithoutValidationRows) {
  FitOptions options = quick();
  options.validation = {};
  options.l2.rule = L2::Rule::automatic;
  EXPECT_EQ(fit(houses(), options).l2, L2().value);
}

TEST(Fit, NamedReadingsOfL2) {
  FitOptions options = quick();
  options.validation = {};
  options.l2 = {.rule = L2::Rule::rho};
  const FitResult result = fit(houses(), options);
  const auto weights = static_cast<double>(result.model.networks.front().size());
  EXPECT_EQ(result.l2, 1e-3 / weights);
  options.l2 = {.rule = L2::Rule::paper};
  EXPECT_EQ(fit(houses(), options).l2, 1e-3 / (weights * 200));
}

TEST(Fit, TheLimitOnSecondsCountsTheClockThatIsGiven) {
  FitOptions options = quick();
  options.method = "ig";
  options.limits = {.seconds = 100, .seconds_of_training = true};
  options.patience = 0;
  double now = 0;
  const FitResult result = fit(houses(), options, {.clock = [&now] { return now += 1; }});
  EXPECT_EQ(result.training.reason, StopReason::time_limit);
  EXPECT_GE(result.training.seconds, 100);
}

TEST(Fit, TheLimitOnSecondsCountsFromItsBeginningAndLooksAtValidationRowsToo) {
  FitOptions options = quick();
  options.method = "ig";
  options.limits = {.seconds = 100};
  options.patience = 0;
  int readings = 0;
  double now = 0;
  const auto clock = [&] { return now += ++readings == 2 ? 60 : 0.1; };  // 60 s until training begins
  const FitResult result = fit(houses(), options, {.clock = clock});
  EXPECT_EQ(result.training.reason, StopReason::time_limit);
  EXPECT_NEAR(result.training.seconds, 40, 2);
  EXPECT_NEAR(result.training.elapsed_seconds, result.training.seconds, 2);
}

// In long epochs of minibatches training leaves the objective to the errors on the same rows, which are measured anyway.
TEST(Fit, TheObjectiveAfterLongEpochsIsThatOfTheTrainingRows) {
  FitOptions options = quick();
  options.method_options = {{"batch", "4"}, {"grow-after", "32"}};
  for (const L2::Rule rule : {L2::Rule::value, L2::Rule::automatic}) {
    options.l2.rule = rule;
    const FitResult result = fit(houses(), options);
    EXPECT_TRUE(std::isnan(result.training.gradient_norm));
    Network network = result.model.networks.front();
    const auto loss = result.model.loss.make();
    const PackedRows rows(prepare(houses(), options).train, serial_engine());
    const double expected = Objective(network, rows, {.l2 = result.l2, .loss = loss.get()}).value();
    EXPECT_NEAR(result.training.value, expected, 1e-12 * expected);
    EXPECT_EQ(result.members.front().value, result.training.value);
    EXPECT_EQ(result.training.message, result.training.brief());
  }
  options.method_options = {{"batch", "4"}};  // and after others it is measured with its gradient
  EXPECT_FALSE(std::isnan(fit(houses(), options).training.gradient_norm));
}

TEST(Fit, TheRecordIsKeptInTheModel) {
  FitOptions options = quick();
  options.method = "adam";
  options.method_options = {{"batch", "16"}};
  const FitResult result = fit(houses(), options);
  const auto record = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(result.model.training, to_json(result));
  EXPECT_EQ(record["method"], "adam");
  EXPECT_EQ(record["method_options"]["batch"], "16");
  EXPECT_EQ(record["rows"]["train"], 170);
  EXPECT_EQ(record["rmse"]["validation"], result.validation->rmse[0]);
  EXPECT_TRUE(record["test_mse"].is_null());
  EXPECT_EQ(record["n"], result.model.networks.front().size());
}

// One error is a function of the other: they stop at the same weights.
TEST(Fit, EarlyStoppingWatchesTheFigureThatIsNamed) {
  FitOptions options = quick();
  options.limits.sweeps = 25;
  options.average = 0;
  const auto weights = [&](const std::string& metric) {
    options.early_stopping_metric = metric;
    const FitResult result = fit(houses(), options);
    const auto found = result.model.networks.front().weights();
    return std::vector<double>(found.begin(), found.end());
  };
  const std::vector<double> by_loss = weights("loss");
  EXPECT_EQ(weights("rmse"), by_loss);
  EXPECT_EQ(weights("r2"), by_loss);
  EXPECT_EQ(refusal<InvalidOption>([&] { weights("auc"); }),
            "option 'early-stopping-metric' = 'auc': use one of loss, rmse, mae, r2");
}

TEST(Fit, EarlyStoppingByAccuracyEndsWithTheHighest) {
  FitOptions options;
  options.preprocess.targets = {"class"};
  options.hidden = {6};
  options.limits.sweeps = 30;
  options.method_options = {{"batch", "32"}};
  const Table arms = spirals({.rows = 300, .classes = 2, .noise = 0.1, .seed = 5});
  const double by_loss = fit(arms, options).validation->classes->accuracy;
  options.early_stopping_metric = "accuracy";
  options.patience = 0;
  double highest = 0;
  FitData data = prepare(arms, options);
  const double by_accuracy = fit(data, options).validation->classes->accuracy;
  for (std::size_t sweeps = 1; sweeps <= 30; ++sweeps) {  // the run, ended after each of its sweeps
    options.limits.sweeps = sweeps;
    highest = std::max(highest, fit(data, options).validation->classes->accuracy);
  }
  EXPECT_GE(by_accuracy, by_loss);
  EXPECT_EQ(by_accuracy, highest);
}

}  // namespace
}  // namespace strata
