#include "strata/data/preprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "strata/core/random.h"
#include "strata/data/generators.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Rows = std::vector<std::size_t>;

Table parsed(std::string_view text) { return parse_csv(text, "t.csv"); }

std::vector<double> feature(const Dataset& data, std::size_t column) {
  const Vector features = feature_rows(data);
  std::vector<double> values;
  for (std::size_t r = 0; r < data.rows; ++r) values.push_back(features[r * data.features() + column]);
  return values;
}

std::vector<double> target(const Dataset& data, std::size_t column = 0) {
  std::vector<double> values;
  for (std::size_t r = 0; r < data.rows; ++r) values.push_back(data.y()(r, column));
  return values;
}

TEST(Preprocessor, ScalesToZeroAndOneExactly) {
  const Table table = parsed("a,y\n0.1,-3\n0.7,5\n0.3,1\n");
  const Dataset data = Preprocessor::fit(table, {.targets = {"y"}}).apply(table);
  EXPECT_EQ(feature(data, 0)[0], 0);
  EXPECT_EQ(feature(data, 0)[1], 1);
  EXPECT_NEAR(feature(data, 0)[2], 1.0 / 3, 1e-15);
  EXPECT_THAT(target(data), ElementsAre(0, 1, 0.5));
}

TEST(Preprocessor, StandardScalingGivesMeanZeroAndVarianceOne) {
  const Table table = friedman1({.rows = 1000, .seed = 3});
  const Dataset data =
      Preprocessor::fit(table, {.scale = Scaling::standard, .target_scale = Scaling::standard}).apply(table);
  for (const auto& values : {feature(data, 0), feature(data, 9), target(data)}) {
    double sum = 0;
    double squares = 0;
    for (const double v : values) {
      sum += v;
      squares += v * v;
    }
    EXPECT_NEAR(sum / 1000, 0, 1e-12);
    EXPECT_NEAR(squares / 1000, 1, 1e-12);
  }
}

TEST(Preprocessor, NoScalingLeavesTheNumbersAlone) {
  const Table table = parsed("a,y\n5,-3\n7,5\n");
  const Dataset data =
      Preprocessor::fit(table, {.targets = {"y"}, .scale = Scaling::none, .target_scale = Scaling::none})
          .apply(table);
  EXPECT_THAT(feature(data, 0), ElementsAre(5, 7));
  EXPECT_THAT(target(data), ElementsAre(-3, 5));
}

TEST(Preprocessor, AConstantColumnBecomesZero) {
  const Table table = parsed("a,b,y\n0.1,x,7\n0.1,x,7\n0.1,x,7\n");  // the mean of 0.1, 0.1, 0.1 is not 0.1
  for (const Scaling scaling : {Scaling::minmax, Scaling::standard}) {
    const Preprocessor fitted =
        Preprocessor::fit(table, {.targets = {"y"}, .scale = scaling, .target_scale = scaling});
    const Dataset data = fitted.apply(table);
    EXPECT_THAT(feature(data, 0), ElementsAre(0, 0, 0));
    EXPECT_THAT(feature(data, 1), ElementsAre(0, 0, 0));
    EXPECT_THAT(target(data), ElementsAre(0, 0, 0));
    EXPECT_EQ(fitted.target().to_own_units(0.4), 7);
  }
}

TEST(Preprocessor, FitsOnTheTrainingRowsOnlyUnlessTold) {
  const Table table = parsed("a,y\n0,0\n2,4\n10,40\n");
  const Rows training{0, 1};
  const Dataset strict = Preprocessor::fit(table, training, {.targets = {"y"}}).apply(table);
  EXPECT_THAT(feature(strict, 0), ElementsAre(0, 1, 5));
  EXPECT_THAT(target(strict), ElementsAre(0, 1, 10));
  const Dataset all = Preprocessor::fit(table, training, {.targets = {"y"}, .fit_scale_on_all_rows = true})
                          .apply(table, training);
  EXPECT_THAT(feature(all, 0), ElementsAre(0, 0.2));
  EXPECT_THAT(target(all), ElementsAre(0, 0.1));
}

TEST(Preprocessor, OneHotHasAColumnForEachCategoryAndOneForTwo) {
  const Table table = parsed("c,t,y\nred,no,1\nblue,yes,2\ngreen,no,3\n");
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"}});
  EXPECT_THAT(fitted.feature_names(), ElementsAre("c=blue", "c=green", "c=red", "t=yes"));
  const Dataset data = fitted.apply(table);
  EXPECT_THAT(feature(data, 0), ElementsAre(0, 1, 0));
  EXPECT_THAT(feature(data, 1), ElementsAre(0, 0, 1));
  EXPECT_THAT(feature(data, 2), ElementsAre(1, 0, 0));
  EXPECT_THAT(feature(data, 3), ElementsAre(0, 1, 0));
}

TEST(Preprocessor, NumbersCanBeCategoriesAndTextNumbers) {
  const Table table = parse_csv("month,n,y\n10,1.5,1\n2,2,2\n10,4,3\n1,3,4\n", "t.csv", {.nominal = {"n"}});
  const Preprocessor fitted =
      Preprocessor::fit(table, {.targets = {"y"}, .categorical = {"month"}, .numeric = {"n"}});
  EXPECT_THAT(fitted.feature_names(),
              ElementsAre("month=1", "month=2", "month=10", "n"));  // in numerical order
  EXPECT_THAT(feature(fitted.apply(table), 2), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(feature(fitted.apply(table), 3), ElementsAre(0, 0.2, 1, 0.6));
  // The same months written otherwise, in a column that this time is read as text.
  const Table later = parse_csv("month,n\n10.0,2\n02,2\n", "later.csv", {.nominal = {"month"}});
  EXPECT_THAT(feature(fitted.apply_inputs(later), 2), ElementsAre(1, 0));
  EXPECT_THAT(feature(fitted.apply_inputs(later), 1), ElementsAre(0, 1));
}

TEST(Preprocessor, TextInAColumnTakenAsNumbersIsNamed) {
  const Table table = parsed("a,y\nx,1\n2,2\n3,3\n");
  EXPECT_THAT(refusal<DataError>(
                  [&] { static_cast<void>(Preprocessor::fit(table, {.targets = {"y"}, .numeric = {"a"}})); }),
              HasSubstr("t.csv, line 2, column 1: 'x' is not a number, and column 'a' is numeric"));
  const Preprocessor fitted = Preprocessor::fit(parsed("a,y\n1,1\n2,2\n"), {.targets = {"y"}});
  EXPECT_THAT(refusal<DataError>([&] { static_cast<void>(fitted.apply_inputs(parsed("a\n1\ntwo\n"))); }),
              HasSubstr("t.csv, line 3, column 1: 'two' is not a number"));
}

TEST(Preprocessor, ColumnsStayOneFeatureEachWhereTheyAreNotExpanded) {
  const Table table =
      parsed("a,c,d,y\n1,red,2024-01-01,1\n,blue,2024-01-02,2\n3,green,,3\n1,,2024-01-01,4\n");
  PreprocessOptions options{
      .targets = {"y"}, .missing = MissingPolicy::impute, .unseen = UnseenPolicy::zeros};
  const Preprocessor expanded = Preprocessor::fit(table, options);
  EXPECT_THAT(expanded.feature_names(),
              ElementsAre("a", "a is missing", "c=blue", "c=green", "c=red", "c is missing", "d day sine",
                          "d day cosine", "d weekday sine", "d weekday cosine", "d is missing"));
  options.expand_inputs = false;
  const Preprocessor kept = Preprocessor::fit(table, options);
  EXPECT_THAT(kept.feature_names(), ElementsAre("a", "c", "d day sine", "d day cosine", "d weekday sine",
                                                "d weekday cosine", "d is missing"));
  const Dataset data = kept.apply(table);
  EXPECT_EQ(data.features(), 7U);
  const auto nan = testing::IsNan();
  EXPECT_THAT(feature(data, 0), ElementsAre(0, nan, 1, 0));
  EXPECT_THAT(feature(data, 1), ElementsAre(2, 0, 1, nan));
  EXPECT_THAT(feature(data, 2), ElementsAre(0, testing::Gt(0), nan, 0));
  EXPECT_THAT(feature(data, 6), ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(data.layout.columns[1].categories, 3U);
  // Of a category that training had not, the code is the number of those it had.
  EXPECT_THAT(feature(kept.apply(parsed("a,c,d,y\n1,pink,,1\n")), 1), ElementsAre(3));
  // The columns are the same, only what is made of them differs.
  Dataset same = data;
  same.layout.expand = true;
  EXPECT_EQ(feature_rows(same), feature_rows(expanded.apply(table)));
  EXPECT_EQ(Preprocessor::from_json(kept.to_json()), kept);
}

TEST(Preprocessor, AnUnseenCategoryIsRefusedOrAllZeros) {
  const Table table = parsed("c,y\nred,1\nblue,2\ngreen,3\nblue,4\n");
  const Table other = parsed("c,y\nred,1\npink,2\n");
  const Preprocessor strict = Preprocessor::fit(table, {.targets = {"y"}});
  EXPECT_THAT(refusal<DataError>([&] { static_cast<void>(strict.apply(other)); }),
              HasSubstr("t.csv, line 3, column 1: 'pink' in column 'c' did not occur in training"));
  const Preprocessor lenient = Preprocessor::fit(table, {.targets = {"y"}, .unseen = UnseenPolicy::zeros});
  const Dataset data = lenient.apply(other);
  EXPECT_THAT(feature_rows(data), ElementsAre(0, 0, 1, 0, 0, 0));
  // A category of the file that no training row has is unseen too.
  const Preprocessor partly = Preprocessor::fit(table, Rows{0, 1}, {.targets = {"y"}});
  EXPECT_THAT(refusal<DataError>([&] { static_cast<void>(partly.apply(table)); }),
              HasSubstr("line 4, column 1: 'green'"));
}

TEST(Preprocessor, MissingValuesAreRefusedByDefaultWithLineAndColumn) {
  const Table table = parsed("a,b,y\n1,x,1\n2,,2\n3,y,3\n");
  EXPECT_THAT(refusal<DataError>([&] { static_cast<void>(Preprocessor::fit(table, {.targets = {"y"}})); }),
              HasSubstr("t.csv, line 3, column 2: the column 'b' has no value; fill it in, or give --missing "
                        "impute or --missing drop"));
  Table unnamed = table;
  unnamed.file = "table";
  unnamed.lines.clear();
  EXPECT_THAT(refusal<DataError>([&] { static_cast<void>(Preprocessor::fit(unnamed, {.targets = {"y"}})); }),
              HasSubstr("table: row 2, column 2: the column 'b' has no value"));
}

TEST(Preprocessor, RowsWithMissingValuesCanBeDropped) {
  const Table table = parsed("a,b,y\n1,x,1\n2,,2\n3,y,3\n9,y,\n5,x,5\n");
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"}, .missing = MissingPolicy::drop});
  const Dataset data = fitted.apply(table);
  EXPECT_THAT(feature(data, 0), ElementsAre(0, 0.5, 1));  // the 9 of a dropped row has no say in the scaling
  EXPECT_THAT(fitted.usable_rows(table, Rows{0, 1, 2, 3, 4}, true), ElementsAre(0, 2, 4));
  EXPECT_THAT(fitted.usable_rows(table, Rows{0, 1, 2, 3, 4}, false), ElementsAre(0, 2, 3, 4));
}

TEST(Preprocessor, ImputesMeanAndMostFrequentAndSaysSoInAnIndicator) {
  const Table table = parsed("a,b,c,y\n1,x,1,1\n,y,2,2\n3,y,3,3\n5,,4,4\n");
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"}, .missing = MissingPolicy::impute});
  EXPECT_THAT(fitted.feature_names(), ElementsAre("a", "a is missing", "b=y", "b is missing", "c"));
  const Dataset data = fitted.apply(table);
  EXPECT_THAT(feature(data, 0), ElementsAre(0, 0.5, 0.5, 1));
  EXPECT_THAT(feature(data, 1), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(feature(data, 2), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(feature(data, 3), ElementsAre(0, 0, 0, 1));
  // c had no gap in training: later gaps are filled, without an indicator nobody has learnt to read.
  EXPECT_THAT(feature(fitted.apply_inputs(parsed("a,b,c\n1,x,\n")), 4), ElementsAre(0.5));
}

TEST(Preprocessor, AColumnWithoutAnyValueCannotBeImputed) {
  const Table table = parsed("a,b,y\n1,,1\n2,,2\n");
  EXPECT_THAT(
      refusal<DataError>([&] {
        static_cast<void>(Preprocessor::fit(table, {.targets = {"y"}, .missing = MissingPolicy::impute}));
      }),
      HasSubstr("t.csv, column 2: column 'b' has no value in the training rows; leave it out by --ignore b"));
}

TEST(Preprocessor, AMissingTargetIsNeverImputed) {
  const Table table = parsed("a,y\n1,1\n2,\n3,3\n");
  EXPECT_THAT(
      refusal<DataError>([&] {
        static_cast<void>(Preprocessor::fit(table, {.targets = {"y"}, .missing = MissingPolicy::impute}));
      }),
      HasSubstr("t.csv, line 3, column 2: the target 'y' has no value; fill it in, leave out its row, or "
                "give --missing drop"));
  const Preprocessor fitted = Preprocessor::fit(
      table, {.targets = {"y"}, .missing = MissingPolicy::impute, .drop_rows_without_target = true});
  EXPECT_EQ(fitted.apply(table).rows, 2U);
  EXPECT_EQ(fitted.apply_inputs(table).rows, 3U);
}

TEST(Preprocessor, ALaterPolicyOfDroppingDropsRowsWithoutATarget) {
  const Preprocessor fitted = Preprocessor::fit(parsed("a,y\n1,1\n2,2\n3,3\n"), {.targets = {"y"}});
  const Preprocessor dropping = fitted.with_policies(MissingPolicy::drop, UnseenPolicy::refuse);
  EXPECT_EQ(dropping.apply(parsed("a,y\n1,1\n2,\n,3\n")).rows, 1U);
}

TEST(Preprocessor, ATwoValuedTextTargetIsZeroOrOne) {
  const Table table = parsed("a,y\n1,yes\n2,no\n3,yes\n");
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"}, .target_scale = Scaling::standard});
  EXPECT_THAT(target(fitted.apply(table)), ElementsAre(1, 0, 1));
  EXPECT_THAT(fitted.target().columns().front().categories, ElementsAre("no", "yes"));
  EXPECT_EQ(fitted.target().to_own_units(0.25), 0.25);
}

TEST(Preprocessor, SeveralTargetsAreScaledEachByItself) {
  const Table table = parsed("u,a,v\n0,1,10\n10,2,30\n5,3,20\n");
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"v", "u"}});
  Dataset data = fitted.apply(table);
  EXPECT_THAT(fitted.target_names(), ElementsAre("v", "u"));
  EXPECT_THAT(target(data, 0), ElementsAre(0, 1, 0.5));
  EXPECT_THAT(target(data, 1), ElementsAre(0, 1, 0.5));
  for (std::size_t r = 0; r < data.rows; ++r)
    for (std::size_t k = 0; k < data.outputs; ++k)
      data.y()(r, k) = fitted.target().to_own_units(data.y()(r, k), k);
  EXPECT_THAT(target(data, 0), ElementsAre(10, 30, 20));
  EXPECT_THAT(target(data, 1), ElementsAre(0, 10, 5));
}

TEST(Preprocessor, OwnUnitsInvertTheScaling) {
  const Table table = friedman1({.rows = 300, .seed = 8});
  for (const Scaling scaling : {Scaling::minmax, Scaling::standard, Scaling::none}) {
    const Preprocessor fitted = Preprocessor::fit(table, {.target_scale = scaling});
    const Dataset data = fitted.apply(table);
    for (std::size_t r = 0; r < data.rows; ++r) {
      const double own = table.column("y").numbers[r];
      EXPECT_NEAR(fitted.target().to_own_units(data.y()(r, 0)), own, 1e-13);
      EXPECT_EQ(fitted.target().to_scaled(own), data.y()(r, 0));
    }
  }
}

TEST(Preprocessor, NeedsItsColumnsByNameInAnyOrder) {
  const Preprocessor fitted = Preprocessor::fit(parsed("a,b,y\n0,1,1\n4,3,2\n"), {.targets = {"y"}});
  const Dataset data = fitted.apply_inputs(parsed("extra,b,a\n9,2,1\n"));
  EXPECT_THAT(feature(data, 0), ElementsAre(0.25));
  EXPECT_THAT(feature(data, 1), ElementsAre(0.5));
  EXPECT_EQ(data.outputs, 0U);
  EXPECT_EQ(refusal<DataError>([&] { static_cast<void>(fitted.apply_inputs(parsed("a,c\n1,2\n"))); }),
            "t.csv: there is no column 'b'; did you mean 'a'?");
}

TEST(Preprocessor, ReadsALaterFileAsTheFirstWasRead) {
  const Preprocessor fitted =
      Preprocessor::fit(parse_csv("zip,y\n01,1\n02,2\n", "t.csv", {.nominal = {"zip"}}), {.targets = {"y"}});
  const Table later = parse_csv("zip\n02\n01\n", "t.csv", fitted.read_options(false));
  EXPECT_THAT(feature(fitted.apply_inputs(later), 0), ElementsAre(1, 0));
  EXPECT_THAT(fitted.read_options(true).numeric, ElementsAre("y"));
}

TEST(Preprocessor, JsonKeepsEveryBit) {
  RandomStream stream(6);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> a;
    std::vector<double> y;
    for (int i = 0; i < 5; ++i) {
      a.push_back(std::ldexp(stream.normal(), static_cast<int>(stream.below(400)) - 200));
      y.push_back(stream.normal() / 3);
    }
    a[2] = Column::missing_number;
    Table table;
    table.columns = {numeric_column("a", a), numeric_column("y", y),
                     nominal_column("c \"quoted\" ä", {"p,q", "r\n", "s"}, {0, 1, 2, 1, -1})};
    const Scaling scaling = trial % 2 == 0 ? Scaling::minmax : Scaling::standard;
    const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"},
                                                          .missing = MissingPolicy::impute,
                                                          .unseen = UnseenPolicy::zeros,
                                                          .scale = scaling,
                                                          .target_scale = scaling});
    const Preprocessor again = Preprocessor::from_json(fitted.to_json());
    ASSERT_EQ(again, fitted);
    ASSERT_EQ(feature_rows(again.apply(table)), feature_rows(fitted.apply(table)));
    ASSERT_EQ(again.feature_names(), fitted.feature_names());
  }
}

TEST(Preprocessor, AStoredPolicyOfAnEarlierVersionIsRead) {
  const Table table = parsed("a,y\n1,2\n3,4\n5,5\n");
  const Preprocessor fitted = Preprocessor::fit(table, {.targets = {"y"}, .missing = MissingPolicy::drop});
  std::string json = fitted.to_json();
  const std::string_view word = R"("missing":"drop")";
  json.replace(json.find(word), word.size(), R"("missing":"drop_rows")");
  EXPECT_EQ(Preprocessor::from_json(json), fitted);
}

TEST(Preprocessor, DamagedJsonIsRefused) {
  const std::string good = Preprocessor::fit(parsed("a,c,y\n0,p,1\n4,q,2\n"), {.targets = {"y"}}).to_json();
  const auto said = [](const std::string& json) {
    return refusal<DataError>([&] { static_cast<void>(Preprocessor::from_json(json)); });
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string json = good;
    const std::size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return json.replace(at, from.size(), to);
  };
  EXPECT_THAT(said(good.substr(0, good.size() / 2)), HasSubstr("store it again"));
  EXPECT_THAT(said("[]"), HasSubstr("store it again"));
  EXPECT_THAT(said(replaced("\"format\":1", "\"format\":99")), HasSubstr("it has format 99"));
  EXPECT_THAT(said(replaced("\"refuse\"", "\"perhaps\"")), HasSubstr("'perhaps' is not a known setting"));
  EXPECT_THAT(said(replaced("\"fill\":0}", "\"fill\":7}")), HasSubstr("is not among its categories"));
  EXPECT_THAT(said(replaced("\"offset\":0.0", "\"offset\":\"x\"")), HasSubstr("store it again"));
}

}  // namespace
}  // namespace strata
