#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/data/scale.h"
#include "study/protocol.h"
#include "study/readings.h"

namespace strata {

inline constexpr std::size_t largest_run_count = 1000;  // starting points of a cell

// One reading of the protocol: what differs from the paper's own.
struct StudyVariant {
  std::string name;     // "paper", "epsilon-1e-2"
  std::string changes;  // "epsilon_0 = 1e-2", as the table says it
  std::vector<std::string> methods;
  const Reading* reading = &readings().front();
  MethodOptionValues method_options = {};  // beyond those of the reading
  InitialiseOptions init = paper_options().init;
  Bias bias = Bias::input;
  L2 l2 = {.rule = L2::Rule::paper};
  Scaling scaling = Scaling::minmax;
  std::optional<double> gradient_norm = {};  // stopping rules in place of the method's
  std::optional<double> relative_decrease = {};
};

// What is run for one table. The files are experiments/*.toml; the program has them inside.
struct Configuration {
  std::string id;     // "table2"; the file's name without its ending
  std::string title;  // "Best run of B2LD and of L-BFGS"
  std::vector<std::string> datasets;
  std::vector<std::string> networks;
  std::vector<std::pair<std::string, double>> seconds;  // the methods, and the time each has at scale 1
  std::size_t runs = 10;                                // starting points
  std::vector<StudyVariant> variants;
  std::string paper = {};  // file with the paper's figures; empty: none
  double tolerance = 0;    // |ours - paper's| <= tolerance * paper's is claimed

  [[nodiscard]] double limit_of(std::string_view method) const;
};

// Refuses (DataError, with the line) what is no TOML, a key that means nothing here, and names of methods, networks or
// data sets that do not exist.
Configuration parse_configuration(std::string_view text, const std::string& file);
Configuration read_configuration(const std::string& file);

const std::vector<Configuration>& built_in_configurations();
const Configuration& built_in_configuration(std::string_view id);  // "table2" or "2"; throws InvalidOption

// "10x50", "200-50-200": the widths of the hidden layers; throws InvalidOption.
std::vector<std::size_t> hidden_layers(std::string_view network);

}  // namespace strata
