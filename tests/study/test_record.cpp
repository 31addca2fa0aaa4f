#include "study/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "strata/core/errors.h"
#include "support/files.h"
#include "support/records.h"

namespace strata {
namespace {

using support::line;
using support::record;
using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class ReadRuns : public ::testing::Test {
 protected:
  void write(const std::string& text) { (void)directory_.file("runs.jsonl", text); }
  void keep(const std::string& text) { (void)directory_.file("runs.jsonl.gz", support::gzipped(text)); }
  [[nodiscard]] std::vector<RunRecord> read() const { return read_runs(directory_.path()); }
  std::string refused(const std::string& text) {
    write(text);
    return refusal<DataError>([this] { (void)read(); });
  }

 private:
  support::TemporaryDirectory directory_;
};

std::string replaced(std::string text, const std::string& old, const std::string& other) {
  return text.replace(text.find(old), old.size(), other);
}

const std::string good = line(record("b2ld", 1, 5e-3));

TEST_F(ReadRuns, EveryFieldIsRead) {
  write(good + "\n");
  const RunRecord run = read().at(0);
  EXPECT_EQ(run.key(), "paper ccpp 10x50 b2ld 1");
  EXPECT_EQ(run.variables, 22800U);
  EXPECT_EQ(run.train_rows, 7654U);
  EXPECT_EQ(run.test_rows, 1914U);
  EXPECT_EQ(run.limit, 7.5);
  EXPECT_EQ(run.objective, 5e-3);
  EXPECT_EQ(run.train_mse, 5e-3);
  EXPECT_EQ(run.test_mse, 1e-2);
  EXPECT_EQ(run.test_r2, 0.75);
  EXPECT_EQ(run.gradient_norm, 2e-4);
  EXPECT_EQ(run.l2, 1e-9);
  EXPECT_EQ(run.seconds, 1.25);
  EXPECT_EQ(run.sweeps, 7U);
  EXPECT_EQ(run.reason, "time_limit");
  EXPECT_THAT(run.updates_per_layer, ElementsAre(3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5));
  EXPECT_THAT(run.curve, ElementsAre(Pair(0, 1), Pair(1, 5e-3)));
}

TEST_F(ReadRuns, NullIsWorseThanAnyNumber) {
  write(replaced(good, "\"objective\":0.005", "\"objective\":null") + "\n");
  EXPECT_TRUE(std::isinf(read().at(0).objective));
}

TEST_F(ReadRuns, ALineWithoutItsEndIsNotThereYet) {
  write(good + "\n" + line(record("b2ld", 2, 1)));
  EXPECT_EQ(read().size(), 1U);
  write("");
  EXPECT_EQ(read().size(), 0U);
}

TEST_F(ReadRuns, ABadLineIsRefusedWithFileAndLine) {
  const auto with = [](const std::string& old, const std::string& other) {
    return replaced(good, old, other);
  };
  const std::vector<std::pair<std::string, std::string>> bad{
      {"{", "not JSON"},
      {"", "not JSON"},
      {"[1]", "not a JSON object"},
      {with("\"objective\":0.005,", ""), "\"objective\""},
      {with("\"seconds\":1.25", "\"seconds\":\"soon\""), "\"seconds\", a number"},
      {with("\"seed\":1,", "\"seed\":1.5,"), "\"seed\", a whole number"},
      {with("\"seed\":1,", "\"seed\":-1,"), "\"seed\", a whole number"},
      {with("\"method\":\"b2ld\"", "\"method\":7"), "\"method\", a text"},
      {with("\"network\":\"10x50\"", "\"network\":\"10y50\""), "10y50"},
      {with("3,3,5]", "3,5]"), "\"updates_per_layer\", one for each of the 11 layers"},
      {with("\"updates_per_layer\":[3", "\"updates_per_layer\":[true"),
       "\"updates_per_layer\", a whole number"},
      {with("\"curve\":[[0,1],[1,0.005]]", "\"curve\":[]"), "\"curve\""},
      {with("\"curve\":[[0,1]", "\"curve\":[[0]"), "pairs [seconds, objective]"},
      {with("\"rows\":{\"train\":7654,\"test\":1914}", "\"rows\":3"), "\"rows\", an object"},
      {with("\"seed\":1,", "\"seed\":1,\"seed\":2,"), "'seed' twice"},
      {good, "the run paper ccpp 10x50 b2ld 1 is there already, in "}};
  for (const auto& [text, reason] : bad) {
    const std::string sentence = refused(good + "\n" + text + "\n");
    EXPECT_THAT(sentence, HasSubstr("runs.jsonl, line 2: "));
    EXPECT_THAT(sentence, HasSubstr(reason));
  }
}

TEST_F(ReadRuns, CompressedRecordsOfEarlierComeFirst) {
  keep(good + "\n");
  EXPECT_EQ(read().at(0).seed, 1U);
  write(line(record("b2ld", 2, 4e-3)) + "\n");
  ASSERT_EQ(read().size(), 2U);
  EXPECT_EQ(read().at(1).seed, 2U);
  EXPECT_THAT(refused(good + "\n"), HasSubstr("is there already, in "));
}

TEST_F(ReadRuns, ADirectoryWithoutRecordsIsRefused) {
  EXPECT_THAT(refusal<DataError>([this] { (void)read(); }), HasSubstr("runs.jsonl: cannot be read"));
}

TEST(Study, WhatIsWrittenIsReadBack) {
  const support::TemporaryDirectory directory;
  const StudyInfo study{.version = "1.2",
                        .time_scale = 0.05,
                        .runs = 3,
                        .threads = 2,
                        .jobs = 4,
                        .cpu = "some CPU",
                        .cores = 8,
                        .compiler = "g++",
                        .clock = "wall"};
  (void)directory.file("study.json", to_json(study));
  const StudyInfo read = read_study(directory.path());
  EXPECT_EQ(read.version, "1.2");
  EXPECT_EQ(read.time_scale, 0.05);
  EXPECT_EQ(read.runs, 3U);
  EXPECT_EQ(read.threads, 2U);
  EXPECT_EQ(read.jobs, 4U);
  EXPECT_EQ(read.cpu, "some CPU");
  EXPECT_EQ(read.cores, 8U);
  EXPECT_EQ(read.compiler, "g++");
  EXPECT_EQ(read.clock, "wall");
}

TEST(Study, AFieldThatIsMissingIsRefused) {
  const support::TemporaryDirectory directory;
  (void)directory.file("study.json", "{\"version\":\"1\"}");
  EXPECT_THAT(refusal<DataError>([&] { (void)read_study(directory.path()); }),
              HasSubstr("study.json: the record needs \"time_scale\""));
}

}  // namespace
}  // namespace strata
