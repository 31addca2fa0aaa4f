#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "strata/core/errors.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"
#include "support/training.h"
#include "trainers/fingerprint.h"

namespace strata {
namespace {

using ::testing::HasSubstr;
using testing_support::SmallProblem;

std::string refusal(std::string_view method, const MethodOptionValues& values) {
  try {
    preset(method, 3, values);
  } catch (const InvalidOption& error) {
    return error.what();
  }
  return "accepted";
}

// Every field of the scheme as a checkpoint has it: "step_size.first" and its text.
std::map<std::string, std::string> entries(const Scheme& scheme) {
  State state;
  const SmallProblem problem;
  const PackedRows rows(problem.data);
  put_fingerprint(state, problem.start, {rows}, scheme, {});
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : state.values()) all[name] = std::get<std::string>(value);
  return all;
}

// The entries that differ between two schemes, with their texts in the second.
std::map<std::string, std::string> changes(const Scheme& before, const Scheme& after) {
  std::map<std::string, std::string> changed;
  const auto old = entries(before);
  for (const auto& [name, text] : entries(after))
    if (old.at(name) != text) changed[name] = text;
  return changed;
}

// A value that the option accepts and that is not its default.
std::string another_value(const OptionInfo& option) {
  if (!option.accepts.starts_with("a ")) {  // one of some names: the first or the last
    const std::string first = option.accepts.substr(0, option.accepts.find_first_of(", "));
    return option.default_value != first ? first : option.accepts.substr(option.accepts.rfind(' ') + 1);
  }
  return option.accepts.starts_with("a whole") ? "7" : "0.125";
}

TEST(MethodOptions, EveryOptionOfEveryMethodGoesFromTextToTheSchemeAndToItsCheckpoint) {
  std::size_t tried = 0;
  for (const MethodInfo& method : methods())
    for (const OptionInfo& option : options_of(method.name)) {
      SCOPED_TRACE(std::string(method.name) + " --" + option.name);
      const std::string text = another_value(option);
      ASSERT_EQ(refusal(method.name, {{option.name, text}}), "accepted");
      const auto changed = changes(preset(method.name, 4), preset(method.name, 4, {{option.name, text}}));
      ASSERT_EQ(changed.size(), 1U);
      EXPECT_EQ(changed.begin()->second, text);
      ++tried;
    }
  EXPECT_GE(tried, 40U);
}

TEST(MethodOptions, EveryOptionAcceptsItsDefaultAndLeavesTheSchemeAsItIs) {
  for (const MethodInfo& method : methods())
    for (const OptionInfo& option : options_of(method.name)) {
      SCOPED_TRACE(std::string(method.name) + " --" + option.name);
      EXPECT_FALSE(option.help.empty());
      if (option.default_value.find(" with ") != std::string::npos) continue;  // depends on the network
      ASSERT_EQ(refusal(method.name, {{option.name, option.default_value}}), "accepted");
      const Scheme same = preset(method.name, 4, {{option.name, option.default_value}});
      EXPECT_TRUE(changes(preset(method.name, 4), same).empty());
    }
}

TEST(MethodOptions, EveryOptionRefusesWhatItDoesNotAcceptWithItsNameTheValueAndWhatItAccepts) {
  for (const MethodInfo& method : methods())
    for (const OptionInfo& option : options_of(method.name))
      for (const std::string value : {"-1", "nan", "sideways", ""})
        EXPECT_EQ(refusal(method.name, {{option.name, value}}),
                  "option '" + option.name + "' = '" + value + "': use " + option.accepts)
            << method.name;
}

// What 0 or infinity stand for has a word, and both are accepted.
TEST(MethodOptions, WhatCanBeSwitchedOffTakesTheWordAndItsNumber) {
  const std::map<std::string, std::string> off{
      {"grow-below", "0"}, {"noise-damping", "0"},   {"cg-set-up", "0"},   {"cg-tolerance", "0"},
      {"batch", "0"},      {"most-increase", "inf"}, {"joint-rows", "inf"}};
  for (const auto& [name, number] : off) {
    ASSERT_EQ(refusal("blgn", {{name, "off"}}), "accepted") << name;
    ASSERT_EQ(refusal("blgn", {{name, number}}), "accepted") << name;
    const Scheme by_word = preset("blgn", 4, {{name, "off"}});
    EXPECT_TRUE(changes(by_word, preset("blgn", 4, {{name, number}})).empty()) << name;
    EXPECT_EQ(changes(blgn(), by_word).begin()->second, "off") << name;
  }
  EXPECT_FALSE(preset("blgn", 4, {{"most-increase", "off"}}).look_ahead.wanted());
  EXPECT_EQ(preset("ig", 4, {{"decay", "off"}}).step_size.epsilon, 0);
  EXPECT_EQ(preset("b2ld", 4, {{"epsilon", "0"}}).tolerance.first, 0);
  EXPECT_EQ(refusal("blgn", {{"damping", "off"}}), "option 'damping' = 'off': use a number above 0");
}

TEST(MethodOptions, ABoundMayDependOnAnotherOption) {
  EXPECT_EQ(refusal("ig", {{"rate", "0.25"}, {"decay", "4"}}),
            "option 'decay' = '4': use a number above 0, below 4, or off");
  EXPECT_EQ(refusal("ig", {{"rate", "0.125"}, {"decay", "4"}}), "accepted");
}

TEST(MethodOptions, ADefaultThatDependsOnTheNetworkIsShownForTwo) {
  const auto options = options_of("bling");
  const auto rate = std::ranges::find(options, "rate", &OptionInfo::name);
  ASSERT_NE(rate, options.end());
  EXPECT_EQ(rate->default_value, "0.5 with 3 layers, 0.05 with 12");
}

TEST(MethodOptions, ValuesReachTheScheme) {
  EXPECT_EQ(preset("bling", 4, {{"batch", "64"}}).batches.size, 64U);
  EXPECT_EQ(preset("bling", 4, {{"rate", "0.125"}}).step_size.first, 0.125);
  EXPECT_EQ(preset("ig", 4, {{"decay", "0.001"}}).step_size.epsilon, 0.001);
  EXPECT_EQ(preset("b2ld", 4, {{"epsilon", "0.1"}, {"delta", "0.25"}}).tolerance.first, 0.1);
  EXPECT_EQ(preset("b2ld", 4, {{"epsilon", "0.1"}, {"delta", "0.25"}}).tolerance.factor, 0.25);
  EXPECT_TRUE(preset("b2ld", 4, {{"gradient-every-sweep", "on"}}).stopping.gradient_every_sweep);
  EXPECT_TRUE(preset("b2ld", 4, {{"gradient-every-visit", "on"}}).stopping.gradient_every_visit);
  EXPECT_FALSE(preset("b2ld", 4, {{"skip-layers", "off"}}).tolerance.skip);
  EXPECT_EQ(preset("ig", 4, {{"step-rule", "harmonic"}}).step_size.rule, StepSize::Rule::harmonic);
  for (const char* method : {"bling", "ig", "sg"})
    EXPECT_TRUE(std::get<GradientStepOptions>(preset(method, 4, {{"sum", "on"}}).updates.hidden).sum);
  EXPECT_EQ(preset("blgn", 4, {{"grow-below", "0.1"}}).batches.grow_below, 0.1);
  EXPECT_EQ(preset("blgn", 4, {{"most-increase", "0.5"}}).look_ahead.most_increase, 0.5);
  EXPECT_EQ(preset("blgn", 4, {{"precision", "float64"}}).batches.precision, Precision::float64);
}

TEST(MethodOptions, EveryMethodHasThePrecisionOfItsBatches) {
  for (const MethodInfo& method : methods()) {
    const bool minibatches = method.make(3).batches.size > 0;
    const std::string option = minibatches ? "precision" : "all-rows-precision";
    ASSERT_EQ(refusal(method.name, {{option, "float32"}}), "accepted") << method.name;
    const BatchOptions batches = preset(method.name, 4, {{option, "float32"}}).batches;
    EXPECT_EQ(minibatches ? batches.precision : batches.all_rows, Precision::float32) << method.name;
  }
}

TEST(MethodOptions, TheRulesOfLbfgsAreOpenForAllMethodsThatUseIt) {
  const MethodOptionValues rules{{"inner-decrease", "1e-6"},
                                 {"inner-norm", "maximum"},
                                 {"first-step", "unit"},
                                 {"keep-history", "on"},
                                 {"pairs", "7"},
                                 {"iterations", "9"},
                                 {"line-search", "more_thuente"},
                                 {"sufficient-decrease", "1e-3"}};
  for (const char* method : {"b2ld", "bld", "lbfgs"}) {
    const LbfgsOptions solver = std::get<BlockLbfgsOptions>(preset(method, 4, rules).updates.hidden).solver;
    EXPECT_EQ(solver.relative_decrease, 1e-6);
    EXPECT_EQ(solver.gradient_norm, GradientNorm::maximum);
    EXPECT_EQ(solver.first_step, FirstStep::unit);
    EXPECT_TRUE(solver.keep_history);
    EXPECT_EQ(solver.memory, 7U);
    EXPECT_EQ(solver.max_iterations, 9);
    EXPECT_EQ(solver.line_search.line_search, LineSearch::more_thuente);
    EXPECT_EQ(solver.line_search.decrease, 1e-3);
  }
}

TEST(MethodOptions, WithoutValuesTheSchemeIsThePreset) {
  EXPECT_EQ(preset("bling", 7, {}).step_size.first, bling(7).step_size.first);
  EXPECT_EQ(preset("blgn", 7, {}).batches.size, blgn().batches.size);
  EXPECT_FALSE(preset("b2ld", 7, {}).stopping.gradient_every_sweep);
}

TEST(MethodOptions, TheOrderOfLayersIsChosenByName) {
  const Scheme scheme = preset("bling", 3, {{"order", "forward"}});
  RandomStream random(1);
  std::vector<Block> blocks;
  make_selection(scheme.selection)->choose({.layers = 3, .gradient_norms = {}}, random, blocks);
  EXPECT_EQ(blocks.front(), (Block{0, 0}));
}

TEST(MethodOptions, AnOptionOfAnotherMethodIsRefusedWithTheNearestOne) {
  EXPECT_EQ(refusal("adam", {{"rates", "1"}}),
            "option 'method' = 'adam': has no option 'rates'; did you mean 'rate'?");
  EXPECT_THAT(refusal("lbfgs", {{"cosine", "on"}}),
              HasSubstr("there are: all-rows-precision, pairs, iterations"));
  EXPECT_THAT(refusal("elm", {{"batch", "3"}}), HasSubstr("has no option 'batch'"));
}

TEST(MethodOptions, AValueOutOfRangeIsRefusedWithWhatIsAccepted) {
  EXPECT_EQ(refusal("b2ld", {{"delta", "1.5"}}), "option 'delta' = '1.5': use a number above 0, at most 1");
  EXPECT_THAT(refusal("adam", {{"rate", "fast"}}), HasSubstr("use a number above 0"));
  EXPECT_THAT(refusal("adam", {{"rate", "inf"}}), HasSubstr("use a number above 0"));
  EXPECT_THAT(refusal("adam", {{"batch", "-1"}}), HasSubstr("use a whole number of at least 1"));
  EXPECT_THAT(refusal("adam", {{"batch", "1.5"}}), HasSubstr("use a whole number"));
  EXPECT_THAT(refusal("adam", {{"cosine", "maybe"}}), HasSubstr("use on or off"));
  EXPECT_THAT(refusal("blgn", {{"order", "upwards"}}), HasSubstr("use backward, forward or random"));
  EXPECT_THAT(refusal("blgn", {{"precision", "float16"}}), HasSubstr("use float64 or float32"));
}

TEST(MethodOptions, AnUnknownMethodIsRefusedWithTheNamesThereAre) {
  EXPECT_THAT(refusal("sgd", {}), HasSubstr("use one of b2ld, bld"));
}

}  // namespace
}  // namespace strata
