#include <algorithm>
#include <cmath>
#include <vector>

#include "strata/core/errors.h"
#include "strata/core/fields.h"
#include "strata/network/network.h"

namespace strata {

std::string_view to_string(Initialisation kind) { return name_of(kind); }
Initialisation initialisation_from(std::string_view name) { return from_name<Initialisation>("init", name); }

namespace {

// What a random weight of the first layer is multiplied by, where columns have tables. A piecewise-linear function begins as
// a weight times the number and small steps, the smaller the more knots there are. Missing values begin at 0.
std::vector<double> table_factors(const Architecture& architecture) {
  std::vector<double> factors;
  for (const ColumnBasis& column : architecture.columns) {
    const auto entries = static_cast<double>(column.entries());
    const bool steps = column.kind == ColumnBasis::Kind::piecewise;
    for (std::size_t k = 0; k < column.entries(); ++k)
      factors.push_back(!steps || k == column.entries() / 2 ? 1 : 2 / std::sqrt(entries));
    if (column.missing) factors.push_back(0);
  }
  if (!factors.empty() && architecture.has_bias(0)) factors.push_back(1);
  return factors;
}

}  // namespace

void initialise(Network& network, const InitialiseOptions& options, RandomStream stream) {
  if (!(options.scale > 0))
    throw InvalidOption("init.scale", std::to_string(options.scale), "use a positive number");
  const Architecture& architecture = network.architecture();
  const std::vector<double> factors = table_factors(architecture);
  for (std::size_t l = 0; l < network.layers(); ++l) {
    const Matrix w = network.layer(l);
    const bool bias_row = architecture.has_bias(l);
    const auto inputs = static_cast<double>(l == 0 && !architecture.columns.empty()
                                                ? architecture.columns.size()
                                                : architecture.input_rows(l) - (bias_row ? 1 : 0));
    const double glorot_bound = std::sqrt(6 / (inputs + static_cast<double>(w.columns())));
    const double he_deviation = std::sqrt(2 / inputs);
    for (std::size_t k = 0; k < w.rows(); ++k)
      for (double& weight : w.row(k)) switch (options.kind) {
          case Initialisation::uniform: weight = stream.uniform(-options.scale, options.scale); break;
          case Initialisation::normal: weight = options.scale * stream.normal(); break;
          case Initialisation::glorot: weight = stream.uniform(-glorot_bound, glorot_bound); break;
          case Initialisation::he: weight = he_deviation * stream.normal(); break;
        }
    const bool zero_bias = options.kind == Initialisation::glorot || options.kind == Initialisation::he;
    if (l == 0)
      for (std::size_t k = 0; k < factors.size(); ++k)
        for (double& weight : w.row(k)) weight *= factors[k];
    if (bias_row && zero_bias) std::ranges::fill(w.row(w.rows() - 1), 0.0);
  }
}

}  // namespace strata
