#include "strata/model/fit_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "strata/core/errors.h"
#include "strata/model/effort.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using testing::HasSubstr;

std::string text_of_option(const FitOptions& options, std::string_view name) {
  std::string text = "no such option";
  for_each_field(options, [&](const Field& field, const auto& value) {
    if (field.name == name) text = text_of(field, value);
  });
  return text;
}

// What the option is after these texts, or the sentence that refuses them.
std::string after(std::string_view name, const std::vector<std::string>& texts) {
  FitOptions options;
  try {
    set_option(options, name, texts, name);
  } catch (const InvalidOption& error) {
    return error.what();
  }
  return text_of_option(options, name);
}

TEST(FitOptions, EveryOptionHasANameOfItsOwnAndTheDefaultIsAllowed) {
  std::set<std::string> names;
  for (const OptionInfo& option : fit_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_FALSE(option.help.empty() || option.placeholder.empty() || option.group.empty()) << option.name;
  }
  check(FitOptions{});
}

TEST(FitOptions, EveryDefaultComesBackFromItsText) {
  FitOptions options;
  use_effort(options, "best");
  FitOptions read;
  for (const OptionInfo& option : fit_options()) {
    const std::string text = text_of_option(options, option.name);
    std::vector<std::string> texts{text};
    if (option.has_items)
      for (std::size_t comma = 0; (comma = texts.back().find(',')) != std::string::npos;) {
        const std::string last = texts.back();
        texts.back() = last.substr(0, comma);
        texts.push_back(last.substr(comma + 1));
      }
    if (text.empty()) continue;
    set_option(read, option.name, texts, option.name);
    EXPECT_EQ(text_of_option(read, option.name), text) << option.name;
  }
  EXPECT_EQ(read.members, 12U);
  EXPECT_EQ(read.l2.rule, L2::Rule::automatic);
}

TEST(FitOptions, AnOptionThatAnEffortSetsShowsBothDefaults) {
  std::map<std::string, OptionInfo> options;
  for (const OptionInfo& option : fit_options()) options[option.name] = option;
  EXPECT_EQ(options["members"].default_value, "6 by --effort default, else 1");
  EXPECT_EQ(options["hidden"].default_value, "50,50,50");
  EXPECT_THAT(options["bias"].help, HasSubstr("; none, input or per_layer"));
}

TEST(FitOptions, PartsOfTheRowsL2AndClassWeightsHaveTextsOfTheirOwn) {
  EXPECT_EQ(after("validation", {"0.25"}), "0.25");
  EXPECT_EQ(after("validation", {"none"}), "none");
  EXPECT_EQ(after("validation", {"rows.csv"}), "rows.csv");
  EXPECT_EQ(after("validation", {"1"}),
            "option 'validation' = '1': use a fraction between 0 and 1, a file or none");
  EXPECT_EQ(after("l2", {"1e-3"}), "0.001");
  EXPECT_EQ(after("l2", {"rho"}), "rho");
  EXPECT_EQ(after("l2", {"value"}), "option 'l2' = 'value': use a number of at least 0, auto, paper or rho");
  EXPECT_EQ(after("l2", {"-1"}), "option 'l2' = '-1': use a number of at least 0, auto, paper or rho");
  EXPECT_EQ(after("class-weight", {"balanced"}), "balanced");
  EXPECT_EQ(after("class-weight", {"a,b=c=2", "d=0.5"}), "a,b=c=2,d=0.5");
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"heavy"}, {"balanced", "a=1"}, {"a=1", "none"}, {"a=x"}})
    EXPECT_THAT(after("class-weight", wrong), HasSubstr("use balanced, none, or weights such as yes=5,no=1"));
}

TEST(FitOptions, AnOptionIsRefusedByTheNameThatTheUserGaveIt) {
  FitOptions options;
  EXPECT_EQ(refusal<InvalidOption>([&] { set_option(options, "sweeps", {"0"}, "max_epochs"); }),
            "option 'max_epochs' = '0': use a whole number of at least 1");
  EXPECT_EQ(refusal<InvalidOption>([&] { set_option(options, "swepes", {"1"}, "swepes"); }),
            "option 'swepes' = '1': there is no such option");
}

TEST(FitOptions, AValueThatIsNotAllowedIsRefusedBeforeAnythingElse) {
  FitOptions options;
  options.average = -1;
  EXPECT_EQ(refusal<InvalidOption>([&] { check(options); }),
            "option 'average' = '-1': use a number of at least 0");
}

}  // namespace
}  // namespace strata
