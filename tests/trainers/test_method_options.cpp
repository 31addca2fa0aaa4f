#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "strata/core/errors.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"

namespace strata {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view method, const MethodOptionValues& values) {
  try {
    preset(method, 4, values);
  } catch (const InvalidOption& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MethodOptions, EveryMethodAcceptsEachOfItsOptionsAtItsDefault) {
  for (const MethodInfo& method : methods())
    for (const MethodOption& option : options_of(method.name)) {
      const bool formula = option.default_value.find('(') != std::string::npos;  // depends on the network
      const std::string value = formula ? "0.25" : option.default_value;
      EXPECT_EQ(refusal(method.name, {{option.name, value}}), "accepted")
          << method.name << " " << option.name;
      EXPECT_FALSE(option.help.empty());
    }
}

TEST(MethodOptions, ValuesReachTheScheme) {
  EXPECT_EQ(preset("bling", 4, {{"batch", "64"}}).batches.size, 64U);
  EXPECT_EQ(preset("bling", 4, {{"rate", "0.125"}}).step_size.first, 0.125);
  EXPECT_EQ(preset("ig", 4, {{"decay", "0.001"}}).step_size.epsilon, 0.001);
  EXPECT_EQ(preset("b2ld", 4, {{"epsilon", "0.1"}, {"delta", "0.25"}}).tolerance.first, 0.1);
  EXPECT_EQ(preset("b2ld", 4, {{"epsilon", "0.1"}, {"delta", "0.25"}}).tolerance.factor, 0.25);
  EXPECT_FALSE(preset("b2ld", 4, {{"gradient-every-sweep", "on"}}).stopping.gradient_when_idle);
  EXPECT_EQ(preset("blgn", 4, {{"grow-below", "0.1"}}).batches.grow_below, 0.1);
  EXPECT_EQ(preset("blgn", 4, {{"most-increase", "0.5"}}).look_ahead.most_increase, 0.5);
  EXPECT_EQ(preset("blgn", 4, {{"precision", "float64"}}).batches.precision, Precision::float64);
  EXPECT_EQ(preset("adam", 4, {{"precision", "float32"}}).batches.precision, Precision::float32);
}

TEST(MethodOptions, WithoutValuesTheSchemeIsThePreset) {
  EXPECT_EQ(preset("bling", 7, {}).step_size.first, bling(7).step_size.first);
  EXPECT_EQ(preset("blgn", 7, {}).batches.size, blgn().batches.size);
  EXPECT_TRUE(preset("b2ld", 7, {}).stopping.gradient_when_idle);
}

TEST(MethodOptions, TheOrderOfLayersIsChosenByName) {
  const Scheme scheme = preset("bling", 3, {{"order", "forward"}});
  RandomStream random(1);
  std::vector<Block> blocks;
  scheme.selection()->choose({.layers = 3, .gradient_norms = {}}, random, blocks);
  EXPECT_EQ(blocks.front(), (Block{0, 0}));
}

TEST(MethodOptions, AnOptionOfAnotherMethodIsRefusedWithTheNearestOne) {
  EXPECT_EQ(refusal("adam", {{"rates", "1"}}),
            "option 'method' = 'adam': has no option 'rates'; did you mean 'rate'?");
  EXPECT_THAT(refusal("lbfgs", {{"cosine", "on"}}), HasSubstr("there are: iterations, pairs"));
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
  EXPECT_THAT(refusal("blgn", {{"precision", "float16"}}), HasSubstr("use float32 or float64"));
}

TEST(MethodOptions, AnUnknownMethodIsRefusedWithTheNamesThereAre) {
  EXPECT_THAT(refusal("sgd", {}), HasSubstr("use one of b2ld, bld"));
}

}  // namespace
}  // namespace strata
