// From a table of labels to probabilities: fit, metrics, calibration, predictions, files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "strata/core/errors.h"
#include "strata/core/tensor_file.h"
#include "strata/data/generators.h"
#include "strata/data/read.h"
#include "strata/model/fit.h"
#include "strata/model/predict.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FitOptions quick_classes(const std::string& target = "class") {
  FitOptions options;
  options.preprocess.targets = {target};
  options.hidden = {8};
  options.activation = Activation::tanh;
  options.method = "lbfgs";
  options.limits.sweeps = 60;
  return options;
}

Table arms(std::size_t classes, std::size_t rows = 400) {
  return spirals({.rows = rows, .classes = classes, .noise = 0.02, .seed = 2});
}

// A network without hidden layer whose one input is the log-odds of class b.
Model odds_model(double temperature = 1) {
  const Preprocessor preprocessor =
      Preprocessor::fit(parse_csv("z,y\n0,a\n1,b\n", "t"), {.targets = {"y"}, .scale = Scaling::none});
  Network network({.inputs = 1, .hidden = {}, .outputs = 1, .bias = Bias::none});
  network.weights()[0] = 1;
  return {{network}, preprocessor, "{}", {"logistic", {}}, temperature};
}

TEST(Classification, TheLossFollowsFromTheTarget) {
  FitOptions options = quick_classes();
  options.limits.sweeps = 2;
  const Model two = fit(arms(2), options).model;
  EXPECT_EQ(two.loss.name, "logistic");
  EXPECT_EQ(two.networks.front().architecture().outputs, 1U);
  const Model three = fit(arms(3), options).model;
  EXPECT_EQ(three.loss.name, "softmax");
  EXPECT_EQ(three.networks.front().architecture().outputs, 3U);
  options.preprocess.targets = {"x1"};
  EXPECT_EQ(fit(arms(3), options).model.loss.name, "squared");
}

TEST(Classification, LearnsTheArmsOfASpiral) {
  for (const std::size_t classes : {2U, 3U}) {
    FitOptions options = quick_classes();
    options.test.fraction = 0.25;
    const FitResult result = fit(arms(classes), options);
    ASSERT_TRUE(result.test->classes);
    EXPECT_GT(result.test->classes->accuracy, 0.8) << classes;
    EXPECT_LT(result.test->classes->log_loss, 0.6) << classes;
  }
}

TEST(Classification, MetricsAreTheOnesComputedByHand) {
  // Probabilities of b: 1/2, 3/4, 1/4, 3/4 for the classes a, b, b, a.
  const double odds = std::log(3.0);
  const std::string rows = fmt::format("z,y\n0,a\n{0},b\n-{0},b\n{0},a\n", odds);
  const Metrics metrics = evaluate(odds_model(), parse_csv(rows, "rows"));
  ASSERT_TRUE(metrics.classes);
  const ClassMetrics& found = *metrics.classes;
  EXPECT_NEAR(found.log_loss, -(std::log(0.5) + std::log(0.75) + 2 * std::log(0.25)) / 4, 1e-14);
  EXPECT_DOUBLE_EQ(found.accuracy, 0.5);  // a tie goes to the first class
  EXPECT_DOUBLE_EQ(found.balanced_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(found.auc,
                   (1 + 0.5 + 0 + 0) / 4);  // pairs: b .75 over a .5 and beside a .75, b .25 under both
  EXPECT_THAT(found.confusion, ElementsAre(1, 1, 1, 1));
  // Confidence 1/2, right once; confidence 3/4, right once of three.
  EXPECT_NEAR(found.calibration_error, (0.5 + (2.25 - 1)) / 4, 1e-14);
}

TEST(Classification, TheAreaOfSeveralClassesIsTheMeanOfEachAgainstTheOthers) {
  const Preprocessor preprocessor =
      Preprocessor::fit(parse_csv("z1,z2,z3,y\n0,1,0,a\n1,0,0,b\n0,0,1,c\n1,1,1,c\n", "t"),
                        {.targets = {"y"}, .scale = Scaling::none});
  Network network({.inputs = 3, .hidden = {}, .outputs = 3, .bias = Bias::none});
  for (std::size_t k = 0; k < 3; ++k) network.layer(0)(k, k) = 1;
  const Model model{{network}, preprocessor, "{}", {"softmax", {.classes = 3}}, 1};
  const auto row = [](double a, double b, double c, char label) {  // with these probabilities
    return fmt::format("{},{},{},{}\n", std::log(a), std::log(b), std::log(c), label);
  };
  const std::string rows = "z1,z2,z3,y\n" + row(0.6, 0.3, 0.1, 'a') + row(0.5, 0.4, 0.1, 'b') +
                           row(0.2, 0.2, 0.6, 'c') + row(0.1, 0.8, 0.1, 'a');
  // a: .6 above .5 and .2, .1 below both; b: .4 above .3 and .2, below .8; c: .6 above all.
  EXPECT_DOUBLE_EQ(evaluate(model, parse_csv(rows, "rows")).classes->auc, (0.5 + 2.0 / 3 + 1) / 3);
  const std::string without_c = "z1,z2,z3,y\n" + row(0.6, 0.3, 0.1, 'a') + row(0.5, 0.4, 0.1, 'b');
  EXPECT_DOUBLE_EQ(evaluate(model, parse_csv(without_c, "rows")).classes->auc, 1);
}

TEST(Classification, RareClassesHaveTheSameSayInBalancedAccuracy) {
  const Metrics metrics = evaluate(odds_model(), parse_csv("z,y\n-1,a\n-1,a\n-1,a\n-1,b\n", "rows"));
  EXPECT_DOUBLE_EQ(metrics.classes->accuracy, 0.75);
  EXPECT_DOUBLE_EQ(metrics.classes->balanced_accuracy, 0.5);
}

TEST(Classification, ProbabilitiesAddUpToOneAndScoresAreTheirLogOdds) {
  Vector in{0.3, -40.0, 900.0};
  for (const double temperature : {1.0, 2.0}) {
    const Model model = odds_model(temperature);
    Vector out(6);
    predict(model, ConstMatrix(in.data(), 3, 1), {out.data(), 3, 2});
    EXPECT_NEAR(out[1], 1 / (1 + std::exp(-0.3 / temperature)), 1e-15);
    for (std::size_t row = 0; row < 3; ++row) EXPECT_DOUBLE_EQ(out[2 * row] + out[2 * row + 1], 1);
    EXPECT_GT(out[3], 0);  // not rounded to 1 - 1
    Vector scores(6);
    predict(model, ConstMatrix(in.data(), 3, 1), {scores.data(), 3, 2}, serial_engine(), Predicted::scores);
    EXPECT_THAT(scores, ElementsAre(-0.3 / temperature, 0.3 / temperature, 40 / temperature,
                                    -40 / temperature, -900 / temperature, 900 / temperature));
  }
}

std::string written(const Model& model, const ClassOutput& classes) {
  std::istringstream rows("z\n-1\n0.5\n2\n");
  std::ostringstream out;
  predict_csv(model, rows, "rows", out, {.classes = classes});
  return out.str();
}

TEST(Classification, LabelsOrProbabilitiesAreWritten) {
  EXPECT_EQ(written(odds_model(), {}), "y\na\nb\nb\n");
  EXPECT_EQ(written(odds_model(), {.threshold = 0.7}), "y\na\na\nb\n");
  EXPECT_THAT(written(odds_model(), {.probabilities = true}), testing::StartsWith("y=a,y=b\n0.731"));
  EXPECT_THAT(refusal<InvalidOption>([] { written(odds_model(), {.threshold = 2}); }),
              HasSubstr("'threshold' = '2': use a probability between 0 and 1"));
  EXPECT_THAT(
      refusal<InvalidOption>([] { written(odds_model(), {.probabilities = true, .threshold = 0.5}); }),
      HasSubstr("leave it or proba out"));
}

TEST(Classification, AModelIsReadAsItWasWritten) {
  FitOptions options = quick_classes();
  options.limits.sweeps = 5;
  const Model model = fit(arms(3), options).model;
  const Model read = parse_model(model_bytes(model), "m");
  EXPECT_EQ(read.loss.name, "softmax");
  EXPECT_EQ(read.temperature, model.temperature);
  EXPECT_EQ(read.preprocessor, model.preprocessor);
  const auto inspected = nlohmann::json::parse(inspect_json(read));
  EXPECT_EQ(inspected["task"], "classification");
  EXPECT_EQ(inspected["schema"], 2);
}

TEST(Classification, AStoredLossThatIsNoneIsRefused) {
  TensorFile file = parse_tensor_file(model_bytes(odds_model()), "m");
  file.metadata["strata.loss"] = R"({"name":"hinge"})";
  EXPECT_THAT(refusal<DataError>([&] { parse_model(tensor_file_bytes(file), "m"); }),
              HasSubstr("'strata.loss' cannot be used"));
}

// --- Splits and weights

std::vector<std::size_t> counts(const Dataset& data, std::size_t classes) {
  std::vector<std::size_t> found(classes);
  for (const double code : data.targets) ++found.at(static_cast<std::size_t>(code));
  return found;
}

Table rare() {
  std::string text = "x,y\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("{},{}\n", i, i == 7 ? "once" : i % 10 == 0 ? "rare" : "common");
  return parse_csv(text, "rare.csv");
}

TEST(Classification, PartsHaveTheSharesOfTheClasses) {
  FitOptions options = quick_classes("y");
  options.test.fraction = 0.2;
  options.validation.fraction = 0.25;
  for (options.seed = 1; options.seed < 6; ++options.seed) {
    const FitData data = prepare(rare(), options);
    EXPECT_THAT(counts(*data.test, 3), ElementsAre(18, 0, 2));
    EXPECT_THAT(counts(*data.validation, 3), ElementsAre(18, 0, 2));
    EXPECT_THAT(counts(data.train, 3), ElementsAre(53, 1, 6));
    EXPECT_THAT(data.notices, ElementsAre("the class 'once' of y has one row, which stays in training"));
  }
}

TEST(Classification, BalancedWeightsRaiseTheRareClass) {
  const auto recall = [](ClassWeight weight) {
    FitOptions options = quick_classes("y");
    options.hidden = {};
    options.class_weight = std::move(weight);
    options.l2.value = 1e-4;
    std::string text = "x,y\n";
    for (int i = 0; i < 300; ++i)
      text += i % 10 == 0 ? fmt::format("{},b\n", 4 + i / 10 % 10 + i / 10 * 7 % 10)
                          : fmt::format("{},a\n", i % 10 + i / 10 % 10);
    return fit(parse_csv(text, "t"), options).train.classes->balanced_accuracy;
  };
  const double plain = recall({});
  const double balanced = recall({.rule = ClassWeight::Rule::balanced});
  EXPECT_GT(balanced, plain + 0.05);
  EXPECT_GT(recall({.rule = ClassWeight::Rule::given, .weights = {{"a", 1.0}, {"b", 9.0}}}), plain + 0.05);
}

TEST(Classification, WeightsOfClassesThatAreNotThereAreRefused) {
  FitOptions options = quick_classes();
  options.class_weight = {.rule = ClassWeight::Rule::given, .weights = {{"z", 2.0}}};
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(arms(2), options); }),
              HasSubstr("'class-weight' = 'z': the target has no such class"));
  options.class_weight.weights = {{"a", -1.0}};
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(arms(2), options); }), HasSubstr("'a=-1'"));
  options.preprocess.targets = {"x1"};
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(arms(2), options); }),
              HasSubstr("holds numbers, not classes"));
}

TEST(Classification, LossAndTaskMustAgree) {
  FitOptions options = quick_classes();
  options.loss = "squared";
  options.preprocess.task = Task::classification;
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(arms(2), options); }),
              HasSubstr("'loss' = 'squared': it is for numbers"));
  options.preprocess.task = Task::automatic;
  options.loss = "logistic";
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(arms(3), options); }),
              HasSubstr("two classes, and the target has 3"));
  options.loss = "hinge";
  EXPECT_THAT(refusal<InvalidOption>([&] { fit(arms(3), options); }),
              HasSubstr("use squared, huber, quantile or poisson for numbers"));
}

// --- Calibration

TEST(Classification, TheTemperatureHasTheLeastLossOnTheValidationRows) {
  // Of rows with log-odds z = 4 three quarters are b: the best log-odds are log 3.
  std::string text = "z,y\n";
  for (int i = 0; i < 4000; ++i) text += i % 4 == 0 ? "4,a\n" : "4,b\n";
  Model model = odds_model();
  FitData data{.preprocessor = model.preprocessor, .train = model.preprocessor.apply(parse_csv(text, "t"))};
  data.validation = data.train;
  data.start = {model.networks.front()};
  FitOptions options = quick_classes("y");
  options.hidden = {};
  options.bias = Bias::none;
  options.activation = model.networks.front().architecture().activation;
  options.limits.objective_at_most = 100;  // stops at once
  const FitResult result = fit(data, options);
  const double weight = result.model.networks.front().weights()[0];
  EXPECT_NEAR(4 * weight / result.model.temperature, std::log(3.0), 0.01);
  ASSERT_TRUE(result.calibration);
  EXPECT_LT(result.calibration->error_after, 0.01);
  EXPECT_EQ(result.calibration->set, "validation");
  options.calibrate = false;
  EXPECT_EQ(fit(data, options).model.temperature, 1);
}

TEST(Classification, CalibrationOfNumbersIsRefused) {
  FitOptions options = quick_classes();
  options.preprocess.targets = {"x1"};
  options.calibrate = false;
  EXPECT_EQ(refusal<InvalidOption>([&] { fit(arms(2), options); }),
            "option 'calibrate' = 'off': the target holds numbers, not classes; leave it out, or use --task "
            "classification");
}

TEST(Classification, ARecordTellsTheTaskAndItsFigures) {
  FitOptions options = quick_classes();
  options.limits.sweeps = 5;
  const auto record = nlohmann::json::parse(to_json(fit(arms(2), options)));
  EXPECT_EQ(record["task"], "classification");
  EXPECT_EQ(record["loss"], "logistic");
  EXPECT_EQ(record["classes"], (std::vector<std::string>{"a", "b"}));
  for (const char* const figure : {"log_loss", "accuracy", "balanced_accuracy", "auc", "calibration_error"})
    EXPECT_TRUE(record[figure].contains("validation")) << figure;
  EXPECT_FALSE(record.contains("rmse"));
  EXPECT_EQ(record["confusion"]["train"].size(), 2U);
  EXPECT_TRUE(record.contains("temperature"));
}

}  // namespace
}  // namespace strata
