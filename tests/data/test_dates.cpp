#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "strata/data/dates.h"
#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string shown(std::string_view text, DateOrder order = DateOrder::day_first) {
  const auto moment = Moment::parse(text, order);
  if (!moment) return "none";
  std::string parts;
  for (const DatePart part : date_parts) {
    const double value = moment->part(part);
    parts += std::isnan(value) ? "- " : std::to_string(static_cast<int>(std::floor(value * 100 + 0.5))) + " ";
  }
  return parts;
}

TEST(Dates, CommonFormsAreUnderstood) {
  // 31 March 2024 was a Sunday.
  const std::string date = "202400 200 3000 600 ";
  for (const char* const text :
       {"2024-03-31", "2024/03/31", "2024.3.31", "31.03.2024", "31/3/2024", "31-03-2024", "31/03/24",
        "31 Mar 2024", "31-Mar-24", "March 31, 2024", "mar 31 2024", "Sun, 31 Mar 2024", "2024 Mar 31"})
    EXPECT_EQ(shown(text), date + "- ") << text;
  EXPECT_EQ(shown("3/31/2024", DateOrder::month_first), date + "- ");
  for (const char* const text : {"2024-03-31 14:30", "2024-03-31T14:30:00Z", "2024-03-31T14:30:00.250+02:00",
                                 "31.03.2024 14:30", "31/03/2024 2:30 PM", "March 31, 2024, 2:30pm"})
    EXPECT_EQ(shown(text), date + "1450 ") << text;
  EXPECT_EQ(shown("14:30"), "- - - - 1450 ");
  EXPECT_EQ(shown("12:15 am"), "- - - - 25 ");
  EXPECT_EQ(shown("2024-03"), "202400 200 0 400 - ");
}

TEST(Dates, WeekdaysAgreeWithTheCalendar) {
  // Monday is 0; 1 January 1970 was a Thursday, and days follow each other.
  using namespace std::chrono;
  for (int day = -20000; day < 30000; day += 371) {
    const year_month_day date{sys_days{days{day}}};
    char text[16];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    EXPECT_EQ(Moment::parse(text, DateOrder::day_first)->part(DatePart::weekday), ((day + 3) % 7 + 7) % 7)
        << text;
  }
}

TEST(Dates, OtherTextsAreNone) {
  for (const char* const text : {"", "red", "2024-02-30", "2024-13-01", "32.01.2024", "1.2.30", "192.168.0.1",
                                 "12", "2024", "12-34-56-78", "25:00", "12:99", "10:20:30:40", "Mon", "a-b-c",
                                 "2024-03-31 noon", "14:30 o'clock", "-2024-01-01", "0001-01-01"})
    EXPECT_EQ(shown(text), "none") << text;
}

TEST(Dates, TheOrderIsThatWhichFitsEveryText) {
  const auto order = [](std::vector<std::string> texts) { return find_dates(texts); };
  EXPECT_EQ(order({"1/2/2024", "13/2/2024"})->order, DateOrder::day_first);
  EXPECT_EQ(order({"1/2/2024", "1/13/2024"})->order, DateOrder::month_first);
  EXPECT_FALSE(order({"1/13/2024", "13/1/2024"}));
  EXPECT_TRUE(order({"1/2/2024", "3/4/2024"})->ambiguous);
  EXPECT_EQ(order({"1/2/2024"})->order, DateOrder::month_first);
  EXPECT_EQ(order({"1.2.2024"})->order, DateOrder::day_first);
  EXPECT_FALSE(order({"2024-01-02", "14:30"})->ambiguous);
  EXPECT_FALSE(order({"2024-01-02", "soon"}));
  EXPECT_FALSE(order({}));
}

TEST(Dates, AColumnOfDatesBecomesThePartsThatDiffer) {
  const Table table = parse_csv(
      "when,x,y\n2023-01-02 00:00,1,1\n2023-01-09 06:00,2,2\n2024-01-01 12:00,4,3\n,3,4\n2024-04-01 "
      "18:00,3,4\n",
      "t.csv");
  std::vector<std::string> notices;
  const std::vector<std::size_t> rows{0, 1, 2, 3, 4};
  const Preprocessor fitted = Preprocessor::from_json(
      Preprocessor::fit(table, rows,
                        {.targets = {"y"}, .missing = MissingPolicy::impute, .scale = Scaling::none},
                        single_process(), &notices)
          .to_json());
  // All four are Mondays.
  EXPECT_THAT(fitted.feature_names(),
              ElementsAre("when year", "when month sine", "when month cosine", "when day sine",
                          "when day cosine", "when hour sine", "when hour cosine", "when is missing", "x"));
  EXPECT_THAT(notices,
              ::testing::Contains(HasSubstr("column 'when' holds dates and becomes year, month, day, hour")));
  const Dataset data = fitted.apply_inputs(table);
  const auto features_of = [&](std::size_t row) {
    std::vector<double> features(data.features());
    data.write_features(row, {features.data(), 1, features.size()});
    return features;
  };
  const auto near = [](double value) { return ::testing::DoubleNear(value, 1e-12); };
  EXPECT_THAT(features_of(4), ElementsAre(2024, near(1), near(0), near(0), near(1), near(-1), near(0), 0, 3));
  EXPECT_THAT(features_of(3), ElementsAre(2023.5, 0, 0, 0, 0, 0, 0, 1, 3));
  const Table later = parse_csv("when,x\n2024-05-01,1\nsoon,2\n", "later.csv");
  EXPECT_THAT(refusal<DataError>([&] { static_cast<void>(fitted.apply_inputs(later)); }),
              HasSubstr("later.csv, line 3, column 1: 'soon' is no date, and column 'when' holds dates"));
}

TEST(Dates, DatesMayBeTakenAsCategoriesAndATargetIsNoDate) {
  const Table table = parse_csv("when,y\n2023-01-02,1\n2023-01-09,2\n2023-01-09,3\n", "t.csv");
  EXPECT_THAT(Preprocessor::fit(table, {.targets = {"y"}, .categorical = {"when"}}).feature_names(),
              ElementsAre("when=2023-01-09"));
  EXPECT_EQ(Preprocessor::fit(table, {.targets = {"when"}}).target().columns().front().categories.size(), 2U);
}

}  // namespace
}  // namespace strata
