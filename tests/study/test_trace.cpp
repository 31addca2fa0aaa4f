#include "study/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "strata/core/errors.h"

namespace strata {
namespace {

std::filesystem::path file_with(const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                                     testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path) << text;
  return path;
}

StepRecord step(std::size_t first, std::size_t last, double length) {
  StepRecord record;
  record.block = {first, last};
  record.step_length = length;
  record.iterations = 3;
  record.seconds = 0.5;
  return record;
}

SweepRecord sweep(double value) {
  SweepRecord record;
  record.value = value;
  record.batch_size = 32;
  record.seconds = 1.25;
  return record;
}

std::string lines(const auto&... records) { return ((to_json(records) + "\n") + ...); }

std::string refusal(const std::filesystem::path& file) {
  try {
    read_trace(file);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Trace, CountsWhatHappenedToEachBlock) {
  StepRecord skipped = step(0, 0, 0);
  skipped.skipped = true;
  StepRecord fallback = step(0, 0, 2);
  fallback.fallback = true;
  StepRecord refused = step(1, 1, not_measured);
  refused.refused = true;
  const Trace trace = read_trace(file_with(lines(step(1, 1, 0.25), skipped, fallback, refused, sweep(0.1))));
  EXPECT_EQ(trace.steps, 4U);
  ASSERT_EQ(trace.blocks.size(), 2U);
  EXPECT_EQ(trace.blocks[0].block, (Block{0, 0}));
  EXPECT_EQ(trace.blocks[0].visits, 2U);
  EXPECT_EQ(trace.blocks[0].skipped, 1U);
  EXPECT_EQ(trace.blocks[0].fallbacks, 1U);
  EXPECT_EQ(trace.blocks[1].refused, 1U);
  EXPECT_EQ(trace.blocks[1].iterations, 6U);
  EXPECT_THAT(trace.blocks[1].lengths,
              testing::ElementsAre(testing::Pair(0.5, 0.25)));  // where it was measured
}

TEST(Trace, ReadsSweepsAndLeavesOpenWhatWasNotMeasured) {
  const Trace trace = read_trace(file_with(lines(sweep(0.1), sweep(0.05))));
  ASSERT_EQ(trace.sweeps.size(), 2U);
  EXPECT_EQ(trace.sweeps[1].value, 0.05);
  EXPECT_EQ(trace.sweeps[1].seconds, 1.25);
  EXPECT_EQ(trace.sweeps[1].batch_size, 32U);
  EXPECT_FALSE(std::isfinite(trace.sweeps[1].validation_loss));
}

TEST(Trace, RunsThatFollowOneAnotherAreCountedOn) {
  SweepRecord second = sweep(0.05);
  second.seconds = 0.75;
  SweepRecord third = sweep(0.02);
  third.sweep = 1;
  const Trace trace = read_trace(file_with(lines(sweep(0.1), step(0, 0, 2), second, third)));
  ASSERT_EQ(trace.sweeps.size(), 3U);
  EXPECT_THAT(trace.blocks[0].lengths,
              testing::ElementsAre(testing::Pair(1.75, 2)));  // 1.25 of the first run
  EXPECT_EQ(trace.sweeps[1].seconds, 2);
  EXPECT_EQ(trace.sweeps[2].seconds, 2.5);
  EXPECT_EQ(trace.sweeps[1].sweep, 1U);
  EXPECT_EQ(trace.sweeps[2].sweep, 2U);
}

TEST(Trace, WhatIsTrainedAndHowItEndedStandsBesideTheRecords) {
  const std::string run =
      R"({"data":"t.csv","targets":["y"],"rows":9,"method":"ig","network":"2-5-1","weights":21,"members":1})";
  const std::string result = R"({"rows":{"train":9},"reason":"max_sweeps","best_sweep":1})";
  const std::string text = lines(sweep(0.1));
  const Trace trace =
      read_trace(file_with("{\"run\":" + run + "}\n" + text + "{\"result\":" + result + "}\n"));
  EXPECT_EQ(trace.run, run);
  EXPECT_EQ(trace.result, result);
  EXPECT_EQ(trace.sweeps.size(), 1U);
  EXPECT_EQ(read_trace(file_with(text)).result, "null");
  EXPECT_THAT(refusal(file_with("{\"run\":3}\n" + text)),
              testing::HasSubstr("line 1: the record needs \"run\", an object"));
  EXPECT_THAT(refusal(file_with(text + "{\"result\":{}}\n")), testing::HasSubstr("\"reason\""));
  EXPECT_THAT(refusal(file_with("{\"seed\":1,\"run\":" + run + "}\n" + text)),
              testing::HasSubstr("line 1: has more than one member"));
}

TEST(Trace, ALastLineWithoutAnEndIsLeftOut) {
  const Trace trace = read_trace(file_with(lines(sweep(0.1)) + to_json(sweep(0.05)).substr(0, 40)));
  EXPECT_EQ(trace.sweeps.size(), 1U);
}

TEST(Trace, WhatIsNoRecordIsRefusedWithItsLine) {
  EXPECT_THAT(refusal(file_with(lines(sweep(0.1)) + "{\"sweep\": \n")),
              testing::HasSubstr("line 2: the record is not JSON"));
  EXPECT_THAT(refusal(file_with(lines(sweep(0.1)) + "7\n")),
              testing::HasSubstr("line 2: is not a JSON object"));
  EXPECT_THAT(refusal(file_with(lines(sweep(0.1)) + "{}\n")),
              testing::HasSubstr("line 2: is neither a step nor a sweep"));
  EXPECT_THAT(refusal(file_with("{\"mean_loss\": \"low\", \"sweep\": 1}\n")),
              testing::HasSubstr("line 1: the record needs \"mean_loss\", a number"));
}

TEST(Trace, AFileWithoutASweepIsRefused) {
  EXPECT_THAT(refusal(file_with(lines(step(0, 0, 1)))), testing::HasSubstr("has no finished sweep"));
  EXPECT_THAT(refusal("no such file"), testing::HasSubstr("no such file: cannot be read"));
}

}  // namespace
}  // namespace strata
