#include "study/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "strata/core/clock.h"
#include "strata/core/errors.h"
#include "study/record.h"
#include "study/run_log.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Methods that end by their own rules long before the limit, so that two studies have the same figures.
Configuration small_configuration() {
  return parse_configuration(R"(title = "Small"
datasets = ["friedman1"]
networks = ["1x3", "2x2"]
seconds = { b2ld = 1000, lbfgs = 1000 }
runs = 2
)",
                             "small.toml");
}

class SmallStudy : public ::testing::Test {
 protected:
  [[nodiscard]] StudyOptions options(const std::string& name = "runs") const {
    return {.data = {}, .out = directory_.path() / name, .configurations = {small_configuration()}};
  }
  [[nodiscard]] static std::vector<RunRecord> made(const StudyOptions& options) {
    (void)run_study(options);
    return read_runs(options.out);
  }

 private:
  support::TemporaryDirectory directory_;
};

std::map<std::string, double> objectives(const std::vector<RunRecord>& runs) {
  std::map<std::string, double> all;
  for (const RunRecord& run : runs) all.emplace(run.key(), run.objective);
  return all;
}

std::vector<std::string> keys(const StudyOptions& options) {
  std::vector<std::string> all;
  for (const PlannedRun& run : plan(options)) all.push_back(run.key());
  return all;
}

TEST(Plan, TheWholePaperIsSevenSetsFiveNetworksTenStartsAndFourMethods) {
  StudyOptions all{.data = {}, .out = {}, .configurations = {}};
  for (const char* const id : {"1", "2", "3", "4", "5", "6", "7", "8"})
    all.configurations.push_back(built_in_configuration(id));
  all.time_scale = 0.1;
  const std::vector<PlannedRun> runs = plan(all);
  EXPECT_EQ(runs.size(), 7U * 5 * 10 * 4);
  for (const PlannedRun& run : runs)
    EXPECT_DOUBLE_EQ(run.limit, run.method == "b2ld" || run.method == "lbfgs" ? 15 : 6);
}

TEST_F(SmallStudy, AllCellsHaveTheirFirstStartBeforeTheSecond) {
  EXPECT_THAT(keys(options()), ElementsAre("paper friedman1 1x3 b2ld 1", "paper friedman1 1x3 lbfgs 1",
                                           "paper friedman1 2x2 b2ld 1", "paper friedman1 2x2 lbfgs 1",
                                           "paper friedman1 1x3 b2ld 2", "paper friedman1 1x3 lbfgs 2",
                                           "paper friedman1 2x2 b2ld 2", "paper friedman1 2x2 lbfgs 2"));
}

TEST_F(SmallStudy, NetworksAndStartsCanBeChosen) {
  StudyOptions chosen = options();
  chosen.networks = {"2x2"};
  chosen.runs = 1;
  EXPECT_THAT(keys(chosen), ElementsAre("paper friedman1 2x2 b2ld 1", "paper friedman1 2x2 lbfgs 1"));
}

TEST_F(SmallStudy, WhatCannotBeChosenIsRefused) {
  const auto refused = [](const StudyOptions& bad) {
    return refusal<InvalidOption>([&] { (void)plan(bad); });
  };
  StudyOptions bad = options();
  bad.networks = {"2x3"};
  EXPECT_THAT(refused(bad),
              HasSubstr("option 'networks' = '2x3': the tables asked for have no such name; did you mean"));
  bad = options();
  bad.datasets = {"mv"};
  EXPECT_THAT(refused(bad), HasSubstr("option 'datasets' = 'mv'"));
  bad = options();
  bad.time_scale = 0;
  EXPECT_THAT(refused(bad), HasSubstr("'time-scale' = '0': use a number above 0"));
  bad = options();
  bad.runs = 0;
  EXPECT_THAT(refused(bad), HasSubstr("'runs' = '0'"));
  bad = options();
  bad.jobs = 0;
  EXPECT_THAT(refused(bad), HasSubstr("'jobs' = '0'"));
}

TEST_F(SmallStudy, EveryRunIsRecordedWithAFallingCurveThatEndsAtItsObjective) {
  const std::vector<RunRecord> runs = made(options());
  ASSERT_EQ(runs.size(), 8U);
  for (const RunRecord& run : runs) {
    EXPECT_EQ(run.limit, 1000);
    EXPECT_EQ(run.train_rows, 800U);
    EXPECT_EQ(run.variables, run.network == "1x3" ? 36U : 28U);  // 11 * 3 + 3, 11 * 2 + 4 + 2
    EXPECT_DOUBLE_EQ(run.l2, 1e-3 / (static_cast<double>(run.variables) * 800));
    ASSERT_GE(run.curve.size(), 2U);
    for (std::size_t i = 1; i < run.curve.size(); ++i)
      EXPECT_LT(run.curve[i].second, run.curve[i - 1].second);
    EXPECT_EQ(run.curve.back().second, run.objective);
  }
}

TEST_F(SmallStudy, MethodsThatAreComparedHaveTheSameStart) {
  std::map<std::string, std::vector<double>> starts;
  for (const RunRecord& run : made(options()))
    starts[run.network + " " + std::to_string(run.seed)].push_back(run.curve.front().second);
  ASSERT_EQ(starts.size(), 4U);
  for (const auto& [cell, values] : starts) {
    ASSERT_EQ(values.size(), 2U) << cell;
    EXPECT_DOUBLE_EQ(values[0], values[1]) << cell;
  }
  EXPECT_NE(starts["1x3 1"][0], starts["1x3 2"][0]);
}

TEST_F(SmallStudy, AnInterruptedStudyGoesOnWhereItWas) {
  const auto whole = objectives(made(options("whole")));
  std::size_t started = 0;
  const StudyHooks counting{
      .progress = [&](const StudyProgress& progress) { started += progress.run != nullptr ? 1 : 0; },
      .interrupt = [&] { return started > 3; }};
  const StudyOutcome first = run_study(options(), counting);
  EXPECT_TRUE(first.interrupted);
  EXPECT_EQ(first.made, 3U);  // the fourth had started and was dropped
  EXPECT_EQ(read_runs(options().out).size(), 3U);

  std::vector<std::string> again;
  const StudyOutcome second = run_study(options(), {.progress = [&](const StudyProgress& progress) {
                                          if (progress.run != nullptr) again.push_back(progress.run->key());
                                          EXPECT_EQ(progress.planned, 8U);
                                        }});
  EXPECT_FALSE(second.interrupted);
  EXPECT_EQ(second.there, 3U);
  EXPECT_EQ(second.made, 5U);
  EXPECT_EQ(again.size(), 5U);
  EXPECT_EQ(objectives(read_runs(options().out)), whole);
}

TEST_F(SmallStudy, AHalfLineIsCutAndItsRunMadeAgain) {
  const auto whole = objectives(made(options()));
  const auto file = options().out / "runs.jsonl";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 20);
  EXPECT_EQ(read_runs(options().out).size(), 7U);
  std::vector<std::string> said;
  const StudyOutcome outcome =
      run_study(options(), {.say = [&](const std::string& sentence) { said.push_back(sentence); }});
  EXPECT_EQ(outcome.made, 1U);
  EXPECT_THAT(said, ElementsAre("the last record was not whole and is made again"));
  EXPECT_EQ(objectives(read_runs(options().out)), whole);
}

TEST_F(SmallStudy, SeveralJobsMakeTheSameRecords) {
  StudyOptions parallel = options("parallel");
  parallel.jobs = 3;
  EXPECT_EQ(objectives(made(parallel)), objectives(made(options())));
}

TEST_F(SmallStudy, AnotherTimeScaleOrClockIsRefused) {
  StudyOptions first = options();
  first.runs = 1;
  (void)made(first);
  StudyOptions other = options();
  other.time_scale = 0.5;
  EXPECT_THAT(
      refusal<InvalidOption>([&] { (void)run_study(other); }),
      HasSubstr("option 'time-scale' = '0.5': the study in " + other.out.string() + " has 1; use that"));
  other = options();
  other.threads = 2;
  EXPECT_THAT(refusal<InvalidOption>([&] { (void)run_study(other); }), HasSubstr("option 'threads' = '2'"));
  EXPECT_EQ(read_study(first.out).clock, "processor seconds of the run's thread");
  (void)made(options());
  EXPECT_EQ(read_study(first.out).runs, 2U);
}

TEST_F(SmallStudy, AStudyThatIsBeingWrittenIsRefused) {
  const RunLog log(options().out);
  EXPECT_THAT(refusal<Error>([&] { (void)run_study(options()); }),
              HasSubstr("another process is writing this study"));
}

TEST_F(SmallStudy, DataThatIsNotThereIsRefusedBeforeTheFirstRun) {
  StudyOptions paper = options();
  paper.configurations.push_back(built_in_configuration("2"));
  std::size_t started = 0;
  const StudyHooks counting{.progress = [&](const StudyProgress&) { ++started; }};
  EXPECT_THAT(refusal<InvalidOption>([&] { (void)run_study(paper, counting); }), HasSubstr("option 'data'"));
  paper.data = paper.out;
  EXPECT_THAT(refusal<DataError>([&] { (void)run_study(paper, counting); }), HasSubstr("ailerons.arff"));
  EXPECT_EQ(started, 0U);
}

TEST_F(SmallStudy, AVariantReachesItsRuns) {
  StudyOptions varied = options();
  varied.configurations = {parse_configuration(R"(title = "Varied"
datasets = ["friedman1"]
networks = ["1x3"]
seconds = { ig = 0.05 }
runs = 1
[[variant]]
name = "paper"
changes = ""
[[variant]]
name = "other"
changes = "all"
options = { batch = 64 }
l2 = "rho"
bias = "none"
scale = "standard"
init = "glorot"
)",
                                               "varied.toml")};
  const std::vector<RunRecord> runs = made(varied);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].variant, "other");
  EXPECT_EQ(runs[1].variables, 33U);
  EXPECT_DOUBLE_EQ(runs[1].l2, 1e-3 / 33);
  EXPECT_GT(runs[1].objective, 5 * runs[0].objective);  // a target of variance 1, not on [0, 1]
  EXPECT_EQ(runs[1].reason, "time_limit");
  std::ifstream file(varied.out / "runs.jsonl");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr(R"("method_options":{"batch":"64","sum":"on"})"));
}

// Four runs at a time use four times the seconds of one: none lives on the time of another.
TEST_F(SmallStudy, LimitsCountTheRunsOwnProcessorTime) {
  StudyOptions timed = options();
  timed.configurations = {parse_configuration(
      "title = \"T\"\ndatasets = [\"friedman1\"]\nnetworks = [\"1x3\"]\nseconds = { ig = 0.1 }\nruns = 4\n",
      "t.toml")};
  timed.jobs = 4;
  const Clock clock = processor_clock();
  const double before = clock();
  EXPECT_EQ(made(timed).size(), 4U);
  EXPECT_GE(clock() - before, 4 * 0.1);
}

}  // namespace
}  // namespace strata
