#include "strata/network/input_moments.h"

#include <numeric>

namespace strata {

namespace {

// One dense matrix sees how columns depend on each other; it is inverted, which takes the cube of its size.
constexpr std::size_t most_in_one_part = 512;
constexpr std::size_t most_categories_in_a_part = 64;

}  // namespace

MomentParts one_part(std::size_t rows) {
  MomentParts parts;
  parts.dense.emplace_back(rows);
  std::iota(parts.dense[0].begin(), parts.dense[0].end(), std::size_t{0});
  return parts;
}

MomentParts moment_parts(const Architecture& architecture, std::size_t layer) {
  if (layer > 0 || architecture.columns.empty()) return one_part(architecture.fan_in(layer));
  MomentParts parts;
  const auto fits = [](const ColumnBasis& column) {
    return column.kind != ColumnBasis::Kind::category || column.categories <= most_categories_in_a_part;
  };
  std::size_t fitting = architecture.has_bias(0) ? 1 : 0;
  for (const ColumnBasis& column : architecture.columns) fitting += fits(column) ? column.rows() : 0;
  const bool together = fitting <= most_in_one_part;
  if (together) parts.dense.emplace_back();
  std::size_t first = 0;
  for (const ColumnBasis& column : architecture.columns) {
    const bool dense = together ? fits(column) : column.kind == ColumnBasis::Kind::piecewise;
    if (dense && !together) parts.dense.emplace_back();
    std::vector<std::size_t>& to = dense ? parts.dense.back() : parts.single;
    for (std::size_t i = 0; i < column.rows(); ++i) to.push_back(first++);
  }
  if (architecture.has_bias(0)) (together ? parts.dense.back() : parts.single).push_back(first);
  return parts;
}

}  // namespace strata
