#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/networks.h"

namespace strata::testing_support {

// Two numbers in pieces, one of them with gaps, one number as it is, categories with gaps, many categories.
inline std::vector<ColumnBasis> mixed_columns(std::size_t many = 7) {
  using Kind = ColumnBasis::Kind;
  return {{.kind = Kind::piecewise, .knots = {0.1, 0.2, 0.45, 0.5, 0.9}, .missing = true},
          {.kind = Kind::scaled},
          {.kind = Kind::piecewise, .knots = {0.2, 0.6}},
          {.kind = Kind::category, .categories = 3, .missing = true},
          {.kind = Kind::category, .categories = many}};
}

// The same with a line that is not straight in the first column, and a column for a sum of the first three.
inline std::vector<ColumnBasis> columns_with_a_sum(std::size_t many = 7) {
  std::vector<ColumnBasis> columns = mixed_columns(many);
  columns[0].line = {-0.4, 0.3, 0.45, 0.8, 1};
  columns.push_back({.kind = ColumnBasis::Kind::piecewise,
                     .knots = {-0.2, 0.1, 0.3, 0.8},
                     .missing = true,
                     .sum = InputSum{.inputs = {0, 2}, .factors = {1.5, -0.7}}});
  return columns;
}

// Rows for these columns: numbers within and beyond the knots, one in nine missing, codes beyond the last category.
inline Dataset data_in_columns(const std::vector<ColumnBasis>& columns, std::size_t rows,
                               std::size_t outputs = 1, std::uint64_t seed = 1) {
  const auto inputs = static_cast<std::size_t>(
      std::ranges::count_if(columns, [](const ColumnBasis& column) { return !column.sum; }));
  Dataset data = smooth_data(rows, inputs, outputs, seed);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t c = 0; c < inputs; ++c) {
      double& x = data.x(p, c);
      if (columns[c].kind == ColumnBasis::Kind::category)
        x = std::floor(x * static_cast<double>(columns[c].categories + 1));
      if (columns[c].kind != ColumnBasis::Kind::scaled && (p + 5 * c) % 9 == 0)
        x = std::numeric_limits<double>::quiet_NaN();
    }
  return data;
}

// The same rows for a dense first layer with the same weights: what each weight is multiplied by, from its definition. A
// piecewise-linear column has a slope, in the middle, and steps that lead away from the middle knot: a value beyond a step
// has all of it, a tenth of its weight.
inline Dataset as_dense(const std::vector<ColumnBasis>& columns, const Dataset& data) {
  std::size_t features = 0;
  for (const ColumnBasis& column : columns) features += column.rows();
  Dataset dense(data.rows, features, data.outputs);
  dense.targets = data.targets;
  dense.weights = data.weights;
  for (std::size_t p = 0; p < data.rows; ++p) {
    std::size_t at = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const ColumnBasis& column = columns[c];
      const double x = column.sum ? column.sum->factors[0] * data.x(p, column.sum->inputs[0]) +
                                        column.sum->factors[1] * data.x(p, column.sum->inputs[1])
                                  : data.x(p, c);
      std::vector<double> to(column.rows());
      if (std::isnan(x)) {
        if (column.missing) to.back() = 1;
      } else if (column.kind == ColumnBasis::Kind::scaled) {
        to[0] = x;
      } else if (column.kind == ColumnBasis::Kind::category) {
        if (x < static_cast<double>(column.categories)) to[static_cast<std::size_t>(x)] = 1;
      } else {
        const std::vector<double>& knots = column.knots;
        const std::size_t middle = knots.size() / 2;
        // How far along the piece from knot k to knot k + 1; the outer pieces have no outer end.
        const auto along = [&](std::size_t k) {
          const double t = (x - knots[k]) / (knots[k + 1] - knots[k]);
          const double low = k == 0 ? t : std::max(t, 0.0);
          return k + 2 == knots.size() ? low : std::min(low, 1.0);
        };
        to[middle] = column.line.empty() ? x : column.line[0];
        for (std::size_t k = 0; !column.line.empty() && k + 1 < knots.size(); ++k)
          to[middle] += along(k) * (column.line[k + 1] - column.line[k]);
        for (std::size_t k = 0; k < knots.size(); ++k) {
          if (k > middle) to[k] = 0.1 * along(k - 1);
          if (k < middle) to[k] = 0.1 * (1 - along(k));
        }
      }
      for (const double feature : to) dense.x(p, at++) = feature;
    }
  }
  return dense;
}

}  // namespace strata::testing_support
