#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/json.h"
#include "core/json_text.h"
#include "strata/core/errors.h"
#include "strata/core/printable.h"
#include "strata/core/toml_text.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Printable, ControlCharactersBecomeDots) {
  EXPECT_EQ(printable("price in \xe2\x82\xac"), "price in \xe2\x82\xac");
  EXPECT_EQ(printable("a\x1b]0;x\x07\nb\x7f"), "a.]0;x..b.");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31mb"),
            "a.31mb");  // U+009B starts an escape sequence as well
  EXPECT_EQ(printable("\xc2"), "\xc2");
}

TEST(Printable, IsWhatEveryErrorSays) {
  EXPECT_STREQ(DataError({"a\x1b[2J.csv", 3}, "no column 'x\ny'").what(),
               "a.[2J.csv, line 3: no column 'x.y'");
  EXPECT_STREQ(InvalidOption("a", "\x07", "b").what(), "option 'a' = '.': b");
}

TEST(JsonText, WritesEveryKindOfValueAsTheParserReadsIt) {
  JsonText json;
  json.begin_object()
      .member("text", "a \"b\" \n\x01 \xc3\xa9")
      .member("number", 0.1)
      .member("none", std::numeric_limits<double>::infinity())
      .member("whole", std::numeric_limits<std::uint64_t>::max())
      .member("negative", -3)
      .member("yes", true)
      .member("list", std::vector<double>{1, 2.5})
      .member("empty", std::vector<std::string>{})
      .member("map", std::map<std::string, std::string>{{"k", "v"}, {"l", "w"}})
      .end_object();
  const auto expected = nlohmann::json{{"text", "a \"b\" \n\x01 \xc3\xa9"},
                                       {"number", 0.1},
                                       {"none", nullptr},
                                       {"whole", std::numeric_limits<std::uint64_t>::max()},
                                       {"negative", -3},
                                       {"yes", true},
                                       {"list", {1.0, 2.5}},
                                       {"empty", nlohmann::json::array()},
                                       {"map", {{"k", "v"}, {"l", "w"}}}};
  EXPECT_EQ(parse_json(json.text(), "x", "it").root(), expected);
}

TEST(JsonText, RefusesOrReplacesWhatIsNotUtf8) {
  EXPECT_THAT(refusal<Error>([] { JsonText().value("\xff"); }), HasSubstr("not UTF-8"));
  EXPECT_EQ(JsonText(JsonText::BadUtf8::replace).value("\xff").text(), "\"\xef\xbf\xbd\"");
}

TEST(ParseJson, RefusesAllThatIsNotOneValue) {
  for (const char* const wrong : {"", "{", "{}{}", "[1,]", "{\"a\" 1}", "nul", "\"\xff\""})
    EXPECT_THAT(refusal<DataError>([&] { parse_json(wrong, "f", "the part"); }),
                StartsWith("f: the part is not JSON"))
        << wrong;
}

TEST(TomlText, AllowsLettersInCommentsAndStrings) {
  EXPECT_NO_THROW(
      check_toml_text("# \xc3\xa9\na = \"\xc3\xa9\\\"\xc3\xa9\" # \xc3\xa9\nb = '\xc3\xa9'\n", "f"));
  EXPECT_NO_THROW(
      check_toml_text("\xef\xbb\xbf"
                      "a = 1\nb = \"\"\"x\n\"\"\"\"\nc = 'x'\n",
                      "f"));
  for (const char* const right :
       {"a=\"\xc3\xa9\"\nb.'\xc3\xa9'.\"\xc3\xa9\"=1#\xc3\xa9\n[c.\"\xc3\xa9\"]\nd='\xc3\xa9'\n",
        "a = [['\xc3\xa9','\xc3\xa9'], # \xc3\xa9\n "
        "[\"\xc3\xa9\"],\n{b='\xc3\xa9',\"\xc3\xa9\"=['\xc3\xa9']}]\n",
        "[[\"\xc3\xa9\"]]\nb = {}\nc = 1 # \xc3\xa9\nd.e = '\xc3\xa9'\n"})
    EXPECT_NO_THROW(check_toml_text(right, "f")) << right;
}

// The parser looks at these with a function that is defined for white space alone.
TEST(TomlText, RefusesThemBehindAQuoteThatBeginsNoString) {
  for (const char* const wrong :
       {"\na = 00\\\"\xc3\xa9\"", "\na = 1=\"\xc3\xa9\"", "\na = 1[\"\xc3\xa9\"", "\na = 1.'\xc3\xa9'",
        "a = [\nb='\xc3\xa9']", "a = [{},\n1{'\xc3\xa9'}]", "\na = \"b\"'\xc3\xa9'"})
    EXPECT_THAT(refusal<DataError>([&] { check_toml_text(wrong, "f"); }), StartsWith("f, line 2: not TOML"))
        << wrong;
}

TEST(TomlText, RefusesThemElsewhereWithTheLine) {
  for (const char* const wrong : {"a = 1\n\xc3\xa9 = 2\n", "a = [\n\xc3\xa9]", "a = \"\\\\\"\n\xc3\xa9",
                                  "a = \"\"\"\n\xc3\xa9\"\"\"", "a = ''\n'' \xc3\xa9"})
    EXPECT_THAT(refusal<DataError>([&] { check_toml_text(wrong, "f"); }), StartsWith("f, line 2: not TOML"))
        << wrong;
}

}  // namespace
}  // namespace strata
