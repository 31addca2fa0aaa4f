#include "study/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using Json = nlohmann::ordered_json;

std::string records_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"records\">";
  const std::size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(Page, HoldsTheRecordsToTheLastBit) {
  const Json records{
      {"kind", "study"}, {"third", 1.0 / 3}, {"small", 4.9e-324}, {"count", 18446744073709551615U}};
  EXPECT_EQ(Json::parse(records_in(report_page(records))), records);
}

TEST(Page, NoTextCanEndTheScriptItIsIn) {
  const Json records{{"name", "</script><script>bad()</script><!--\xe2\x80\xa8@script@"}};
  const std::string inside = records_in(report_page(records));
  EXPECT_THAT(inside, testing::Not(testing::HasSubstr("<")));
  EXPECT_THAT(inside, testing::Not(testing::HasSubstr("\xe2\x80\xa8")));
  EXPECT_EQ(Json::parse(inside), records);
}

TEST(Page, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(Json::parse(records_in(report_page({{"name", "a\xff"}})))["name"], "a\xef\xbf\xbd");
}

TEST(Page, HasItsPartsAndTheLicenceOfChartJs) {
  const std::string page = report_page({{"kind", "trace"}});
  EXPECT_THAT(page, testing::HasSubstr("Chart.js Contributors"));
  EXPECT_THAT(page, testing::HasSubstr("prefers-color-scheme"));
  EXPECT_THAT(page, testing::Not(testing::ContainsRegex("@(style|records|chart.js|script)@")));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST(Page, NumbersThatAreNotFiniteAreNull) {
  EXPECT_TRUE(number_or_null(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_EQ(number_or_null(2.5), 2.5);
}

}  // namespace
}  // namespace strata
