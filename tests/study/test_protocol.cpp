#include "study/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "strata/data/generators.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using support::TemporaryDirectory;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The public files are not part of the source tree: STRATA_DATA names their directory, or they lie beside the tree.
std::filesystem::path raw_directory() {
  if (const char* given = std::getenv("STRATA_DATA")) return given;
  return std::filesystem::path(__FILE__).parent_path() / "../../../shared/data/raw";
}

struct Expected {
  std::string name;
  std::size_t features;  // without the constant column
  std::size_t train;
  std::size_t test;
  double variance;  // of the scaled target: what a network that predicts the mean is left with
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.name; }

class Protocol : public ::testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
    const auto file = raw_directory() / protocol_file(GetParam().name);
    if (!std::filesystem::exists(file))
      GTEST_SKIP() << file.filename() << " is not in " << raw_directory()
                   << "; set STRATA_DATA to its directory";
  }
};

std::vector<double> all_targets(const FitData& data) {
  std::vector<double> y(data.train.targets.begin(), data.train.targets.end());
  y.insert(y.end(), data.test->targets.begin(), data.test->targets.end());
  return y;
}

double variance(const std::vector<double>& values) {
  double mean = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(values.size());
}

TEST_P(Protocol, HasTheRowsFeaturesAndVarianceOfThePaper) {
  const Expected& expected = GetParam();
  const FitData data = load_protocol(expected.name, raw_directory());
  EXPECT_EQ(data.train.rows, expected.train);
  EXPECT_EQ(data.test->rows, expected.test);
  EXPECT_EQ(data.train.features(), expected.features);
  EXPECT_EQ(data.test->features(), expected.features);
  EXPECT_EQ(data.preprocessor.feature_names().size(), expected.features);
  EXPECT_EQ(data.train.outputs, 1U);
  EXPECT_NEAR(variance(all_targets(data)), expected.variance, 0.01 * expected.variance);
}

TEST_P(Protocol, EveryInputAndTargetFillsZeroToOneOverAllRows) {
  const FitData data = load_protocol(GetParam().name, raw_directory());
  const std::vector<double> y = all_targets(data);
  EXPECT_EQ(*std::min_element(y.begin(), y.end()), 0);
  EXPECT_EQ(*std::max_element(y.begin(), y.end()), 1);
  const std::size_t features = data.train.features();
  Vector rows = feature_rows(data.train);
  for (const double x : feature_rows(*data.test)) rows.push_back(x);
  for (std::size_t c = 0; c < features; ++c) {
    double low = 1;
    double high = 0;
    for (std::size_t i = c; i < rows.size(); i += features) {
      low = std::min(low, rows[i]);
      high = std::max(high, rows[i]);
    }
    EXPECT_EQ(low, 0) << data.preprocessor.feature_names()[c];
    EXPECT_EQ(high, 1) << data.preprocessor.feature_names()[c];
  }
}

TEST_P(Protocol, TheTargetCanBeStandardisedInstead) {
  const FitData data = load_protocol(GetParam().name, raw_directory(), Scaling::standard);
  const bool text = GetParam().name == "bank";  // yes and no are 0 and 1 whatever the scaling
  EXPECT_NEAR(variance(all_targets(data)), text ? GetParam().variance : 1, 0.01);
}

TEST_P(Protocol, SameSeedGivesTheSameBitsAndAnotherSeedOtherRows) {
  const FitData first = load_protocol(GetParam().name, raw_directory());
  const FitData again = load_protocol(GetParam().name, raw_directory());
  const FitData other = load_protocol(GetParam().name, raw_directory(), Scaling::minmax, 2);
  EXPECT_EQ(first.train.inputs, again.train.inputs);
  EXPECT_EQ(first.test->targets, again.test->targets);
  EXPECT_NE(first.train.inputs, other.train.inputs);
  EXPECT_EQ(first.preprocessor, other.preprocessor);  // scaled over all rows: the shuffle has no say
}

INSTANTIATE_TEST_SUITE_P(
    DataSets, Protocol,
    ::testing::Values(Expected{"ailerons", 40, 11000, 2750, 0.0129}, Expected{"mv", 12, 32614, 8154, 0.0552},
                      Expected{"california", 8, 16512, 4128, 0.0567},
                      Expected{"bike", 58, 13903, 3476, 0.0347}, Expected{"beijing", 47, 33406, 8351, 0.0086},
                      Expected{"ccpp", 4, 7654, 1914, 0.0509}, Expected{"bank", 48, 36168, 9043, 0.103}),
    [](const auto& test) { return test.param.name; });

TEST(ProtocolFiles, AreNamedAndAnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_THAT(protocol_names(),
              ElementsAre("ailerons", "mv", "california", "bike", "beijing", "ccpp", "bank"));
  EXPECT_EQ(refusal<InvalidOption>([] { static_cast<void>(load_protocol("bikes", ".")); }),
            "option 'data set' = 'bikes': there is no such data set; did you mean 'bike'?");
}

TEST(ProtocolFiles, AChangedFileIsRefusedByItsChecksum) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.file("hour.csv", "instant,cnt\n1,2\n3,4\n"));
  EXPECT_THAT(refusal<DataError>([&] { static_cast<void>(load_protocol("bike", directory.path())); }),
              HasSubstr("hour.csv: its SHA-256 is "));
  EXPECT_THAT(refusal<DataError>([&] { check_protocol_file("mv", directory.path()); }),
              HasSubstr("cannot be opened"));
}

TEST(PaperOptions, AreThePapers) {
  FitOptions options = paper_options();
  options.preprocess.targets = {"price"};
  options.limits.sweeps = 1;
  options.hidden = {5};
  const FitResult result = fit(housing({.rows = 200, .seed = 1}), options);
  const auto weights = static_cast<double>(result.model.networks.front().size());
  EXPECT_EQ(result.l2, 1e-3 / (weights * 200));
  EXPECT_EQ(result.model.networks.front().architecture().bias, Bias::input);
  EXPECT_FALSE(result.validation);
}

TEST(ProtocolFiles, OneHotColumnsCarryTheirCategories) {
  const auto file = raw_directory() / protocol_file("bike");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "hour.csv is not in " << raw_directory();
  const FitData data = load_protocol("bike", raw_directory());
  for (const char* name :
       {"season=4", "mnth=12", "hr=0", "hr=23", "weekday=6", "weathersit=4", "yr", "windspeed"})
    EXPECT_THAT(data.preprocessor.feature_names(), Contains(name));
}

}  // namespace
}  // namespace strata
