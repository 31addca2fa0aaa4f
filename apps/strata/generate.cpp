// strata generate: built-in tables as CSV.
#include <algorithm>
#include <array>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "strata/core/errors.h"
#include "strata/core/suggestion.h"
#include "strata/data/generators.h"
#include "strata/data/write.h"

namespace app {

namespace {

const std::array<std::string, 4> generators{"housing", "friedman1", "folded-staircase", "spirals"};

void refuse(const Settings& settings, std::string_view option) {
  if (settings.has(option))
    throw strata::InvalidOption(option, settings.text(option),
                                settings.text("NAME") + " has no such setting");
}

template <class Options>
Options common_options(const Settings& settings) {
  Options options;
  options.rows = settings.whole("rows").value_or(options.rows);
  options.seed = settings.whole("seed").value_or(options.seed);
  options.noise = settings.number("noise").value_or(options.noise);
  return options;
}

strata::Table housing(const Settings& settings) {
  const auto options = common_options<strata::HousingOptions>(settings);
  refuse(settings, "inputs");
  refuse(settings, "folds");
  return strata::housing(options);
}

strata::Table friedman1(const Settings& settings) {
  auto options = common_options<strata::Friedman1Options>(settings);
  options.inputs = settings.whole("inputs").value_or(options.inputs);
  refuse(settings, "folds");
  return strata::friedman1(options);
}

strata::Table folded_staircase(const Settings& settings) {
  auto options = common_options<strata::FoldedStaircaseOptions>(settings);
  options.inputs = settings.whole("inputs").value_or(options.inputs);
  options.folds =
      static_cast<int>(std::min<std::uint64_t>(settings.whole("folds").value_or(options.folds), 1000));
  return strata::folded_staircase(options);
}

strata::Table spirals(const Settings& settings) {
  auto options = common_options<strata::SpiralsOptions>(settings);
  options.classes = settings.whole("classes").value_or(options.classes);
  refuse(settings, "inputs");
  refuse(settings, "folds");
  return strata::spirals(options);
}

strata::Table generated(const Settings& settings) {
  const std::string name = settings.text("NAME");
  constexpr std::uint64_t most_rows = 100'000'000;  // they are made in memory
  if (settings.whole("rows").value_or(1) > most_rows)
    throw strata::InvalidOption("rows", settings.text("rows"), "use at most 100000000");
  if (name == "spirals") return spirals(settings);
  refuse(settings, "classes");
  if (name == "housing") return housing(settings);
  if (name == "friedman1") return friedman1(settings);
  if (name == "folded-staircase") return folded_staircase(settings);
  throw strata::InvalidOption("NAME", name, "there is no such table" + strata::suggestion(name, generators));
}

int run_generate(const Settings& settings) {
  const strata::Table table = generated(settings);
  Output out = Output::to(settings.text("out"));
  write_csv(out.stream(), table);
  out.commit();
  return done;
}

}  // namespace

Command generate_command() {
  return {
      .name = "generate",
      .summary = "Write built-in data as CSV",
      .examples =
          "strata generate housing --rows 2000 --seed 1 > housing.csv\n"
          "strata generate friedman1 --rows 6000 --seed 1 --noise 1 --out friedman1.csv",
      .arguments = {{"NAME",
                     "housing (texts and numbers, target price), friedman1 or folded-staircase (target y), "
                     "spirals (classes, target class)"}},
      .options = {{"rows", "N", "number of rows (1000)"},
                  {"seed", "N", "the same seed gives the same bits on every platform (0)"},
                  {"noise", "X",
                   "standard deviation of the noise (housing: 0.05 of the price, friedman1: 1, spirals: "
                   "0.02, else 0)"},
                  {"inputs", "N", "columns before the target (friedman1: 10, folded-staircase: 4)"},
                  {"classes", "N", "spirals: 2 to 26 (2)"},
                  {"folds", "N", "folded-staircase: each doubles the pieces (4)"},
                  {.name = "out", .value = "FILE", .help = "output file (standard output)", .letter = 'o'}},
      .run = run_generate};
}

}  // namespace app
