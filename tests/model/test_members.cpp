// Models of several networks: predictions, training side by side, folds, checkpoints, files.
#include "model/members.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "strata/core/errors.h"
#include "strata/core/tensor_file.h"
#include "strata/data/generators.h"
#include "strata/data/read.h"
#include "strata/data/shared_table.h"
#include "strata/model/fit.h"
#include "strata/model/predict.h"
#include "strata/parallel/thread_communicator.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table made_houses(std::size_t rows = 160) { return housing({.rows = rows, .seed = 1}); }
Table arms(std::size_t classes, std::size_t rows = 200) {
  return spirals({.rows = rows, .classes = classes, .noise = 0.02, .seed = 2});
}

FitOptions quick(const std::string& target, const std::string& loss = "") {
  FitOptions options;
  options.preprocess.targets = {target};
  options.loss = loss;
  options.hidden = {5};
  options.limits.sweeps = 4;
  options.method_options = {{"batch", "32"}};  // several, in an order that the seed decides
  options.members = 3;
  return options;
}

std::vector<Vector> weights_of(const Model& model) {
  std::vector<Vector> all;
  for (const Network& network : model.networks)
    all.emplace_back(network.weights().begin(), network.weights().end());
  return all;
}

Model only(const Model& model, std::size_t member) {
  Model one = model;
  one.networks = {model.networks[member]};
  return one;
}

Vector predictions(const Model& model, const Table& rows, Predicted what = Predicted::response) {
  const std::size_t columns = predicted_columns(model) * (what == Predicted::with_spread ? 2 : 1);
  Vector out(rows.rows() * columns);
  predict(model, rows, {out.data(), rows.rows(), columns}, serial_engine(), what);
  return out;
}

struct Case {
  std::string name;
  Table table;
  FitOptions options;
};

std::vector<Case> cases() {
  std::vector<Case> all{{"squared", made_houses(), quick("price")},
                        {"huber", made_houses(), quick("price", "huber")},
                        {"poisson", made_houses(), quick("price", "poisson")},
                        {"quantile", made_houses(), quick("price", "quantile")},
                        {"logistic", arms(2), quick("class")},
                        {"softmax", arms(3), quick("class")}};
  all[3].options.loss_options.levels = {0.1, 0.5, 0.9};
  return all;
}

TEST(Members, ThePredictionIsTheMeanOfWhatEachPredicts) {
  for (const auto& [name, table, options] : cases()) {
    const Model model = fit(table, options).model;
    ASSERT_EQ(model.networks.size(), 3U) << name;
    const Vector mean = predictions(model, table);
    std::vector<Vector> each;
    for (std::size_t m = 0; m < 3; ++m) each.push_back(predictions(only(model, m), table));
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double wanted = (each[0][i] + each[1][i] + each[2][i]) / 3;
      EXPECT_NEAR(mean[i], wanted, 1e-12 * std::max(1.0, std::abs(wanted))) << name;
    }
    EXPECT_NE(each[0], each[1]) << name;
  }
}

TEST(Members, TheSpreadIsTheStandardDeviationOverTheMembers) {
  for (const auto& [name, table, options] : cases()) {
    const Model model = fit(table, options).model;
    const std::size_t columns = predicted_columns(model);
    const Vector both = predictions(model, table, Predicted::with_spread);
    std::vector<Vector> each;
    for (std::size_t m = 0; m < 3; ++m) each.push_back(predictions(only(model, m), table));
    for (std::size_t row = 0; row < table.rows(); ++row)
      for (std::size_t k = 0; k < columns; ++k) {
        double mean = 0;
        double squares = 0;
        for (const Vector& one : each) mean += one[row * columns + k] / 3;
        for (const Vector& one : each) squares += std::pow(one[row * columns + k] - mean, 2);
        const double found = both[row * 2 * columns + columns + k];
        EXPECT_NEAR(found, std::sqrt(squares / 2), 1e-9 * std::max(1.0, found)) << name;
      }
  }
  const Model one = only(fit(made_houses(), quick("price")).model, 0);
  EXPECT_EQ(refusal<InvalidOption>([&] { predictions(one, made_houses(), Predicted::with_spread); }),
            "option 'spread' = '': the model has one network; train it with several members, for example "
            "--members 4");
}

// Probabilities of 1e-300 have logarithms that probabilities themselves would lose.
TEST(Members, ScoresOfClassesAreExactWhereProbabilitiesRoundToOne) {
  const Preprocessor preprocessor =
      Preprocessor::fit(parse_csv("z,y\n0,a\n1,b\n", "t"), {.targets = {"y"}, .scale = Scaling::none});
  Network first({.inputs = 1, .hidden = {}, .outputs = 1, .bias = Bias::none});
  Network second = first;
  first.weights()[0] = 1;
  second.weights()[0] = 2;
  const Model model{{first, second}, preprocessor, "{}", {"logistic", {}}};
  const Vector scores = predictions(model, parse_csv("z\n600\n-600\n", "rows"), Predicted::scores);
  // P(a) = (exp(-600) + exp(-1200)) / 2 for the first row.
  EXPECT_NEAR(scores[1], 600 + std::log(2.0), 1e-9);
  EXPECT_NEAR(scores[3], -600 - std::log(2.0), 1e-9);
}

TEST(Members, EachIsTheNetworkThatItsSeedGivesAlone) {
  FitOptions options = quick("price");
  options.validation = {};
  const FitResult together = fit(made_houses(), options);
  for (std::size_t m = 0; m < 3; ++m) {
    FitOptions alone = options;
    alone.members = 1;
    alone.seed = member_seed(options.seed, m);
    EXPECT_EQ(weights_of(fit(made_houses(), alone).model)[0], weights_of(together.model)[m]) << m;
  }
}

TEST(Members, WatchValidationRowsThatAreGivenToAll) {
  FitOptions options = quick("price");
  options.members = 1;
  const FitData data = prepare(made_houses(), options);
  options.members = 2;
  const FitResult together = fit(data, options);
  EXPECT_EQ(together.validation->rows, data.validation->rows);
  EXPECT_FALSE(together.out_of_fold());
  options.members = 1;
  options.seed = member_seed(options.seed, 1);
  EXPECT_EQ(weights_of(fit(data, options).model)[0], weights_of(together.model)[1]);
}

TEST(Members, HaveTheSameBitsOnAnyNumberOfThreads) {
  for (const std::string target : {"price", "class"}) {
    const Table table = target == "price" ? made_houses() : arms(3);
    FitOptions options = quick(target);
    options.members = 4;
    options.patience = 2;
    const FitResult first = fit(table, options);
    for (const std::size_t threads : {2U, 3U, 9U}) {
      Engine engine({.threads = threads});
      const FitResult result = fit(table, options, {.engine = &engine});
      EXPECT_EQ(weights_of(result.model), weights_of(first.model)) << threads;
      EXPECT_EQ(result.validation->loss, first.validation->loss) << threads;
      EXPECT_EQ(result.model.temperature, first.model.temperature) << threads;
    }
  }
}

// --- Folds

Dataset rows_of_classes(const std::vector<double>& codes) {
  Dataset data(codes.size(), 1, 1);
  std::ranges::copy(codes, data.targets.begin());
  return data;
}

TEST(Folds, AreDisjointAndEachHasItsFraction) {
  const Folds folds = make_folds(rows_of_classes(std::vector<double>(700)), false, 4, 0.15, RandomStream(1));
  std::set<std::size_t> seen;
  for (const auto& fold : folds) {
    EXPECT_EQ(fold.size(), 100U);  // 1/7 is the part nearest to 0.15
    seen.insert(fold.begin(), fold.end());
  }
  EXPECT_EQ(seen.size(), 400U);
  EXPECT_LT(*seen.rbegin(), 700U);
}

TEST(Folds, OfManyMembersShareAllRows) {
  const Folds folds = make_folds(rows_of_classes(std::vector<double>(100)), false, 10, 0.15, RandomStream(1));
  std::set<std::size_t> seen;
  for (const auto& fold : folds) seen.insert(fold.begin(), fold.end());
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Folds, SpreadClassesEvenlyAndKeepTheOnlyRowOfOne) {
  std::vector<double> codes(140, 0);
  std::fill_n(codes.begin(), 14, 1.0);
  codes[77] = 2;
  const Folds folds = make_folds(rows_of_classes(codes), true, 7, 0.15, RandomStream(3));
  for (const auto& fold : folds) {
    EXPECT_EQ(std::ranges::count_if(fold, [](std::size_t row) { return row < 14; }), 2);
    EXPECT_EQ(std::ranges::count(fold, 77U), 0);
  }
}

TEST(Folds, AFractionThatIsNoneIsRefused) {
  FitOptions options = quick("price");
  options.validation.fraction = 1;
  EXPECT_EQ(refusal<InvalidOption>([&] { fit(made_houses(), options); }),
            "option 'validation' = '1': use a fraction between 0 and 1, a file or none");
}

TEST(Folds, TooFewRowsAreRefused) {
  EXPECT_EQ(fit(made_houses(5), quick("price")).model.networks.size(), 3U);
  EXPECT_THAT(
      refusal<InvalidOption>([] { fit(made_houses(3), quick("price")); }),
      HasSubstr("option 'members' = '3': each needs validation rows of its own, and there are 3 rows"));
}

TEST(Members, ValidationFiguresAreOfRowsThatAMemberDidNotTrainOn) {
  const FitOptions options = quick("price");
  const FitData data = prepare(made_houses(), options);
  EXPECT_FALSE(data.validation);
  const FitResult result = fit(data, options);
  const Folds folds = make_folds(data.train, false, 3, 0.15, RandomStream(options.seed).split(13));
  double squares = 0;
  std::size_t rows = 0;
  for (std::size_t m = 0; m < 3; ++m)
    for (const std::size_t row : folds[m]) {
      double out = 0;
      Vector features(data.train.features());
      data.train.write_features(row, {features.data(), 1, features.size()});
      result.model.networks[m].predict({features.data(), 1, features.size()}, {&out, 1, 1});
      squares += std::pow(out - data.train.y()(row, 0), 2);
      ++rows;
    }
  EXPECT_TRUE(result.out_of_fold());
  EXPECT_EQ(result.validation->rows, rows);
  EXPECT_NEAR(result.validation->mse, squares / static_cast<double>(rows), 1e-12);
  double mean = 0;
  for (const TrainingResult& member : result.members) mean += member.validation_loss / 3;
  EXPECT_NEAR(result.training.validation_loss, mean, 1e-15);
}

// --- Temperature

TEST(Members, TheTemperatureIsBestForTheirMean) {
  FitOptions options = quick("class");
  options.members = 1;
  options.limits.sweeps = 10;
  const FitData data = prepare(arms(3, 300), options);
  options.members = 3;
  FitResult result = fit(data, options);
  const double chosen = result.model.temperature;
  // The loss of the rows, and the preference for 1.
  const auto objective = [&](double temperature) {
    result.model.temperature = temperature;
    const double t = std::log(temperature);
    return static_cast<double>(data.validation->rows) * evaluate(result.model, *data.validation).loss +
           2 * t * t;
  };
  EXPECT_LT(objective(chosen), objective(chosen * 1.01));
  EXPECT_LT(objective(chosen), objective(chosen / 1.01));
}

// --- Interruption and checkpoints

struct Interrupted {
  FitResult result;
  State state;
  std::size_t sweeps;
};

// Stops after so many sweeps of all members together.
Interrupted run(const FitOptions& options, std::size_t threads, std::size_t most_sweeps,
                const State* resume = nullptr) {
  Engine engine({.threads = threads});
  std::size_t sweeps = 0;
  State last;
  FitHooks hooks{.after_sweep = [&](const SweepRecord&) { return ++sweeps >= most_sweeps; },
                 .engine = &engine};
  hooks.checkpoints.save = [&](const State& state) { last = state; };
  hooks.checkpoints.resume = resume;
  FitResult result = fit(made_houses(), options, hooks);
  return {std::move(result), std::move(last), sweeps};
}

TEST(Members, AResumedRunEndsWithTheSameBits) {
  FitOptions options = quick("price");
  options.limits.sweeps = 5;
  const FitResult whole = fit(made_houses(), options);
  for (const std::size_t threads : {1U, 2U})
    for (const std::size_t sweeps : {1U, 4U, 7U, 12U}) {
      const Interrupted half = run(options, threads, sweeps);
      EXPECT_EQ(half.result.training.reason, StopReason::user_request);
      const Interrupted rest = run(options, threads, 1000, &half.state);
      EXPECT_EQ(weights_of(rest.result.model), weights_of(whole.model)) << threads << ' ' << sweeps;
      EXPECT_EQ(rest.result.training.sweeps, 15U);
      EXPECT_LE(half.sweeps + rest.sweeps, 12 + threads) << "members went on, none began again";
      EXPECT_EQ(rest.result.training.history.size(), 15U);
    }
}

TEST(Members, AnInterruptedRunKeepsTheMembersThatHaveBegun) {
  FitOptions options = quick("price");
  options.limits.sweeps = 5;
  const FitResult whole = fit(made_houses(), options);
  const FitResult part =
      run(options, 1, 6).result;  // two sweeps of the second: the last of the first asks nobody
  ASSERT_EQ(part.model.networks.size(), 2U);
  EXPECT_EQ(weights_of(part.model)[0], weights_of(whole.model)[0]);
  EXPECT_EQ(part.members[1].history.size(), 2U);
  EXPECT_TRUE(std::isfinite(part.validation->loss));
}

TEST(Members, AResumedRunMustHaveAsMany) {
  FitOptions options = quick("price");
  const Interrupted three = run(options, 1, 5);
  options.members = 2;
  EXPECT_EQ(refusal<InvalidOption>([&] { run(options, 1, 100, &three.state); }),
            "option 'members' = '2': the run to resume was started with 3; use the same, or start a new run");
  options.members = 1;
  EXPECT_EQ(refusal<InvalidOption>([&] { run(options, 1, 100, &three.state); }),
            "option 'members' = '1': the run to resume was started with 3; use the same, or start a new run");
  const Interrupted one = run(options, 1, 2);
  options.members = 3;
  EXPECT_EQ(refusal<InvalidOption>([&] { run(options, 1, 100, &one.state); }),
            "option 'members' = '3': the run to resume was started with 1; use the same, or start a new run");
}

TEST(Members, ObserversHearOfEachAndAProblemOfOneReachesTheCaller) {
  Engine engine({.threads = 2});
  std::map<std::size_t, std::size_t> sweeps;
  const FitOptions options = quick("price");
  fit(made_houses(), options,
      {.observers = {.sweep = [&](const SweepRecord& r) { ++sweeps[r.member]; }}, .engine = &engine});
  EXPECT_THAT(sweeps, ElementsAre(std::pair{0, 4}, std::pair{1, 4}, std::pair{2, 4}));
  const auto failing = [](const SweepRecord& record) {
    if (record.member == 1) throw Error("no more");
  };
  EXPECT_THROW(fit(made_houses(), options, {.observers = {.sweep = failing}, .engine = &engine}), Error);
}

TEST(Members, ProcessesThatShareRowsTrainOneNetwork) {
  run_as_processes(2, [](Communicator& processes) {
    Engine engine({.processes = &processes});
    const FitOptions options = quick("price");
    FitData data = prepare({share_table(made_houses(), processes), processes}, options);
    EXPECT_EQ(refusal<InvalidOption>([&] { fit(std::move(data), options, {.engine = &engine}); }),
              "option 'members' = '3': processes that share the rows train one network; use 1, or a single "
              "process");
  });
}

// --- Files

TEST(Members, AreWrittenAndReadToTheBit) {
  for (const auto& [name, table, options] : cases()) {
    const Model model = fit(table, options).model;
    const Model read = parse_model(model_bytes(model), "model");
    EXPECT_EQ(weights_of(read), weights_of(model)) << name;
    EXPECT_EQ(predictions(read, table), predictions(model, table)) << name;
  }
}

TEST(Members, AFileThatLacksOneIsRefused) {
  const TensorFile file = parse_tensor_file(model_bytes(fit(made_houses(), quick("price")).model), "m");
  const auto read_with = [&](const std::string& members) {
    TensorFile changed = file;
    changed.metadata.erase("strata.checksum");
    changed.metadata["strata.members"] = members;
    return refusal<DataError>([&] { parse_model(tensor_file_bytes(changed), "m"); });
  };
  EXPECT_EQ(read_with("2"),
            "m: the network has 2 layers, 2 members and the file 6 tensors; the file is damaged");
  EXPECT_EQ(read_with("0"), "m: the metadata 'strata.members' is no number of networks");
  EXPECT_EQ(read_with("-3"), "m: the metadata 'strata.members' is no number of networks");
  EXPECT_THAT(read_with("9223372036854775808"), HasSubstr("the file is damaged"));
}

TEST(Members, SpreadIsWrittenAsFurtherColumns) {
  const Model model = fit(arms(2), quick("class")).model;
  std::istringstream rows("x1,x2\n0.1,0.2\n");
  std::ostringstream out;
  predict_csv(model, rows, "rows", out, {.classes = {.probabilities = true}, .spread = true});
  EXPECT_THAT(out.str(), HasSubstr("class=a,class=b,class=a_std,class=b_std\n"));
  std::istringstream again("x1,x2\n0.1,0.2\n");
  EXPECT_THAT(refusal<InvalidOption>([&] { predict_csv(model, again, "rows", out, {.spread = true}); }),
              HasSubstr("labels have none; ask for probabilities too"));
}

}  // namespace
}  // namespace strata
