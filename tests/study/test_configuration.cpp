#include "study/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"
#include "study/paper_figures.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string good_study = R"(title = "Small"
datasets = ["friedman1"]
networks = ["1x3", "4-2"]
seconds = { ig = 5, b2ld = 10 }
runs = 2
)";

TEST(Configuration, AFileIsRead) {
  const Configuration read =
      parse_configuration(good_study + "tolerance = 0.1\npaper = \"table2.csv\"\n", "some/small.toml");
  EXPECT_EQ(read.id, "small");
  EXPECT_EQ(read.title, "Small");
  EXPECT_THAT(read.datasets, ElementsAre("friedman1"));
  EXPECT_THAT(read.networks, ElementsAre("1x3", "4-2"));
  EXPECT_EQ(read.limit_of("b2ld"), 10);
  EXPECT_EQ(read.limit_of("ig"), 5);
  EXPECT_EQ(read.runs, 2U);
  EXPECT_EQ(read.tolerance, 0.1);
  EXPECT_EQ(read.paper, "table2.csv");
  ASSERT_EQ(read.variants.size(), 1U);
  EXPECT_EQ(read.variants[0].name, "paper");
  EXPECT_THAT(read.variants[0].methods, ElementsAre("ig", "b2ld"));
  EXPECT_EQ(read.variants[0].l2.rule, L2::Rule::paper);
  EXPECT_EQ(read.variants[0].reading->name, "paper");
}

TEST(Configuration, AVariantSaysWhatDiffers) {
  const Configuration read = parse_configuration(good_study + R"([[variant]]
name = "other"
changes = "everything"
methods = ["b2ld"]
reading = "presets"
options = { epsilon = 1e-2, order = "forward", gradient-every-sweep = true, iterations = 7 }
init = "glorot"
init-scale = 0.25
bias = "per_layer"
l2 = "rho"
scale = "standard"
gradient-tolerance = 1e-6
relative-decrease = 1e-5
)",
                                                 "small.toml");
  const StudyVariant& variant = read.variants.at(0);
  EXPECT_EQ(variant.changes, "everything");
  EXPECT_THAT(variant.methods, ElementsAre("b2ld"));
  EXPECT_EQ(variant.reading->name, "presets");
  EXPECT_EQ(variant.method_options.at("epsilon"), "0.01");
  EXPECT_EQ(variant.method_options.at("order"), "forward");
  EXPECT_EQ(variant.method_options.at("gradient-every-sweep"), "on");
  EXPECT_EQ(variant.method_options.at("iterations"), "7");
  EXPECT_EQ(variant.init.kind, Initialisation::glorot);
  EXPECT_EQ(variant.init.scale, 0.25);
  EXPECT_EQ(variant.bias, Bias::per_layer);
  EXPECT_EQ(variant.l2.rule, L2::Rule::rho);
  EXPECT_EQ(variant.scaling, Scaling::standard);
  EXPECT_EQ(variant.gradient_norm, 1e-6);
  EXPECT_EQ(variant.relative_decrease, 1e-5);
}

TEST(Readings, AMethodHasTheOptionsOfItsReadingUnlessOthersAreGiven) {
  EXPECT_EQ(with_reading(reading("paper"), "ig", {}), (MethodOptionValues{{"sum", "on"}}));
  EXPECT_EQ(with_reading(reading("paper"), "ig", {{"sum", "off"}}), (MethodOptionValues{{"sum", "off"}}));
  EXPECT_EQ(with_reading(reading("presets"), "ig", {}), MethodOptionValues{});
  for (const Reading& each : readings())
    for (const MethodInfo& info : methods())
      EXPECT_EQ(preset(info.name, 3, with_reading(each, info.name, {})).name, info.name) << each.name;
}

TEST(Configuration, WhatCannotBeUsedIsRefusedWithItsLine) {
  const auto refused = [](const std::string& text) {
    return refusal<DataError>([&] { (void)parse_configuration(text, "my.toml"); });
  };
  const auto with = [](const std::string& old, const std::string& other) {
    std::string text = good_study;
    return text.replace(text.find(old), old.size(), other);
  };
  EXPECT_THAT(refused("title = = 3"), HasSubstr("my.toml, line 1, column 9: not TOML"));
  EXPECT_THAT(refused("title = \"A\"\n"), HasSubstr("my.toml: 'datasets' is missing"));
  EXPECT_THAT(refused(good_study + "tolerence = 1\n"),
              HasSubstr("my.toml, line 6: there is no key 'tolerence'; did you mean 'tolerance'?"));
  EXPECT_THAT(refused(with("\"Small\"", "3")), HasSubstr("my.toml, line 1: 'title' must be a text"));
  EXPECT_THAT(refused(with("friedman1", "friedman")),
              HasSubstr("line 2: option 'datasets' = 'friedman': there is no such data "
                        "set; did you mean 'friedman1'?"));
  EXPECT_THAT(refused(with("[\"friedman1\"]", "[]")),
              HasSubstr("line 2: 'datasets' must be a list that is not empty"));
  EXPECT_THAT(refused(with("1x3", "1by3")), HasSubstr("line 3: option 'networks' = '1by3': write 10x50"));
  EXPECT_THAT(refused(with("ig = 5", "gi = 5")), HasSubstr("line 4: option 'method' = 'gi': use one of"));
  EXPECT_THAT(refused(with("ig = 5", "ig = 0")), HasSubstr("line 4: 'seconds' must be a number above 0"));
  EXPECT_THAT(refused(with("{ ig = 5, b2ld = 10 }", "5")),
              HasSubstr("line 4: 'seconds' must be a table of methods"));
  EXPECT_THAT(refused(with("runs = 2", "runs = 0")),
              HasSubstr("line 5: 'runs' must be a whole number from 1"));
  const std::string variant = good_study + "[[variant]]\nname = \"v\"\nchanges = \"\"\n";
  EXPECT_THAT(refused(variant + "methods = [\"adam\"]\n"),
              HasSubstr("line 9: 'methods' names 'adam', which has no limit"));
  EXPECT_THAT(refused(variant + "options = { epsilon = 1e-2 }\n"),
              HasSubstr("'ig': has no option 'epsilon'"));
  EXPECT_THAT(refused(variant + "l2 = \"auto\"\n"), HasSubstr("line 9: 'l2' must be paper, rho or a number"));
  EXPECT_THAT(refused(variant + "scale = \"none\"\n"),
              HasSubstr("line 9: 'scale' must be minmax or standard"));
  EXPECT_THAT(refused(variant + "bias = \"all\"\n"), HasSubstr("line 9: option 'bias' = 'all'"));
  EXPECT_THAT(refused(variant + "init = \"zero\"\n"), HasSubstr("line 9: option 'init' = 'zero'"));
  EXPECT_THAT(
      refused(variant + "reading = \"preset\"\n"),
      HasSubstr("line 9: option 'reading' = 'preset': there is no such reading; did you mean 'presets'?"));
  EXPECT_THAT(refused(variant + "batch = 3\n"), HasSubstr("line 9: there is no key 'batch'"));
  EXPECT_THAT(refusal<DataError>([] { (void)read_configuration("nowhere.toml"); }),
              HasSubstr("nowhere.toml: cannot be read"));
}

TEST(Configuration, NetworksAreWidths) {
  EXPECT_THAT(hidden_layers("3x20"), ElementsAre(20, 20, 20));
  EXPECT_THAT(hidden_layers("200-50-200"), ElementsAre(200, 50, 200));
  EXPECT_THAT(hidden_layers("7"), ElementsAre(7));
  for (const char* const bad : {"", "x", "3x", "0x5", "3x20x2", "50-", "-5", "5 0", "99999"})
    EXPECT_THAT(refusal<InvalidOption>([&] { (void)hidden_layers(bad); }), HasSubstr("write 10x50")) << bad;
}

TEST(BuiltIn, ThePapersTablesHaveItsMethodsNetworksDataAndLimits) {
  for (const char* const id : {"2", "3", "4"}) {
    const Configuration& batch = built_in_configuration(id);
    EXPECT_EQ(batch.datasets.size(), 7U);
    EXPECT_EQ(batch.networks.size(), 5U);
    EXPECT_EQ(batch.runs, 10U);
    EXPECT_THAT(batch.variants.at(0).methods, ElementsAre("b2ld", "lbfgs"));
    EXPECT_EQ(batch.limit_of("lbfgs"), 150);
  }
  EXPECT_EQ(built_in_configuration("table7").limit_of("bling"), 60);
  EXPECT_THAT(refusal<InvalidOption>([] { (void)built_in_configuration("9"); }),
              HasSubstr("there is no such table"));
}

TEST(PaperFigures, AreFoundByTheirRow) {
  const PaperFigures best("table2.csv");
  EXPECT_EQ(best.find(StudyCell{"10x50", "ccpp"}, "objective_b2ld"), 0.00489);
  EXPECT_FALSE(best.find(StudyCell{"10x50", "friedman1"}, "objective_b2ld"));
  const PaperFigures wins("table7.csv");
  const auto score = wins.score({{"measure", "test"}, {"network", "1x50"}, {"dataset", "bank"}});
  EXPECT_EQ(score->wins, 3U);
  EXPECT_EQ(score->defeats, 7U);
  EXPECT_THAT(refusal<DataError>([] { (void)PaperFigures("table9.csv"); }), HasSubstr("table9.csv"));
}

}  // namespace
}  // namespace strata
