#include "export/onnx_tables.h"

#include <array>
#include <limits>

namespace strata::exported {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// The numbers that are multiplied with weights, rows x (pieces and missing values), and those weights.
struct OnnxTables::Layout {
  std::vector<std::int64_t> of = {};  // the column of each piece
  std::vector<double> knots = {};     // where it begins
  std::vector<double> inverse_gaps = {};
  std::vector<double> low = {};  // the first piece of a column goes on below its knots, the last one above
  std::vector<double> high = {};
  std::vector<std::int64_t> missing = {};  // columns of numbers
  std::vector<double> weights = {};        // of pieces
  std::vector<double> missing_weights = {};
  std::vector<double> bias = {};

  explicit Layout(const Tables& step) : bias(step.outputs, 0) {
    if (!step.bias.empty()) bias.assign(step.bias.begin(), step.bias.end());
    std::size_t first = 0;
    for (std::size_t c = 0; c < step.columns.size(); ++c) {
      const ColumnBasis& column = step.columns[c];
      if (column.kind != ColumnBasis::Kind::category) add(step, c, first);
      first += column.rows();
    }
    weights.insert(weights.end(), missing_weights.begin(), missing_weights.end());
  }

 private:
  void add(const Tables& step, std::size_t c, std::size_t first) {
    const ColumnBasis& column = step.columns[c];
    const std::vector<double> nothing(step.outputs, 0);
    std::span<const double> least = nothing;  // what the function is where no piece counts
    if (column.kind == ColumnBasis::Kind::scaled) {
      add_piece(c, 0, 1, -infinity, infinity, nothing, step.row(first));
    } else {
      least = step.row(first);
      const std::vector<double> inverse = strata::exported::inverse_gaps(column);
      for (std::size_t k = 0; k < inverse.size(); ++k)
        add_piece(c, column.knots[k], inverse[k], k == 0 ? -infinity : 0,
                  k + 1 == inverse.size() ? infinity : 1, step.row(first + k), step.row(first + k + 1));
    }
    for (std::size_t o = 0; o < step.outputs; ++o) bias[o] += least[o];
    const std::span<const double> own = column.missing ? step.row(first + column.entries()) : nothing;
    missing.push_back(static_cast<std::int64_t>(c));
    for (std::size_t o = 0; o < step.outputs; ++o) missing_weights.push_back(own[o] - least[o]);
  }

  void add_piece(std::size_t c, double knot, double inverse_gap, double least, double most,
                 std::span<const double> from, std::span<const double> to) {
    of.push_back(static_cast<std::int64_t>(c));
    knots.push_back(knot);
    inverse_gaps.push_back(inverse_gap);
    low.push_back(least);
    high.push_back(most);
    for (std::size_t o = 0; o < to.size(); ++o) weights.push_back(to[o] - from[o]);
  }
};

std::string OnnxTables::column(const std::string& x, std::span<const std::int64_t> which) {
  return graph_.node("Gather", {x, graph_.constant(which)}, {{.name = "axis", .value = 1}});
}

// The inputs, and after them the sums of two of them that have columns.
std::string OnnxTables::with_sums(const Tables& step, const std::string& x) {
  std::array<std::vector<std::int64_t>, 2> inputs;
  std::array<std::vector<double>, 2> factors;
  for (const ColumnBasis& column : step.columns)
    for (std::size_t i = 0; column.sum && i < 2; ++i) {
      inputs[i].push_back(static_cast<std::int64_t>(column.sum->inputs[i]));
      factors[i].push_back(column.sum->factors[i]);
    }
  if (inputs[0].empty()) return x;
  const auto terms = [&](std::size_t i) {
    return graph_.node("Mul", {column(x, inputs[i]), graph_.row(factors[i])});
  };
  return graph_.node("Concat", {x, graph_.node("Add", {terms(0), terms(1)})}, {{.name = "axis", .value = 1}});
}

std::string OnnxTables::pieces(const Layout& layout, const std::string& x) {
  const std::string value = column(x, layout.of);
  const std::string from_knot = graph_.node("Sub", {value, graph_.row(layout.knots)});
  const std::string share = graph_.node("Mul", {from_knot, graph_.row(layout.inverse_gaps)});
  const std::string above = graph_.node("Max", {share, graph_.row(layout.low)});
  const std::string inside = graph_.node("Min", {above, graph_.row(layout.high)});
  const std::string known = graph_.node("Where", {graph_.node("IsNaN", {value}), graph_.number(0), inside});
  const std::string missing = graph_.as_number(graph_.node("IsNaN", {column(x, layout.missing)}));
  return graph_.node("Concat", {known, missing}, {{.name = "axis", .value = 1}});
}

// After the entries stands what other categories touch, which is nothing, and then what a missing value does.
std::string OnnxTables::category(const Tables& step, std::size_t c, std::size_t first, const std::string& x) {
  const ColumnBasis& basis = step.columns[c];
  const std::size_t count = basis.entries();
  const auto width = static_cast<std::int64_t>(step.outputs);
  std::vector<double> table(
      step.entries.begin() + static_cast<std::ptrdiff_t>(first * step.outputs),
      step.entries.begin() + static_cast<std::ptrdiff_t>((first + count) * step.outputs));
  table.resize((count + 2) * step.outputs, 0);
  if (basis.missing) {
    const std::span<const double> own = step.row(first + count);
    std::copy(own.begin(), own.end(), table.end() - width);
  }
  const auto which = static_cast<std::int64_t>(c);
  const std::string code = column(x, std::span(&which, 1));
  const std::string known = graph_.node(
      "Where", {graph_.node("IsNaN", {code}), graph_.number(static_cast<double>(count + 1)), code});
  const std::string row =
      graph_.node("Cast", {graph_.node("Squeeze", {known, graph_.constant(std::vector<std::int64_t>{1})})},
                  {{.name = "to", .value = static_cast<std::int64_t>(OnnxType::int64)}});
  const std::string rows = graph_.constant(table, {static_cast<std::int64_t>(count + 2), width});
  return graph_.node("Gather", {rows, row}, {{.name = "axis", .value = 0}});
}

std::string OnnxTables::apply(const Tables& step, const std::string& x) {
  const Layout layout(step);
  std::string sum = graph_.row(layout.bias);
  if (!layout.of.empty()) {
    if (columns_ != std::vector(step.columns.begin(), step.columns.end())) {
      columns_.assign(step.columns.begin(), step.columns.end());
      shared_ = pieces(layout, with_sums(step, x));
    }
    const auto rows = static_cast<std::int64_t>(layout.of.size() + layout.missing.size());
    const std::string weights =
        graph_.constant(layout.weights, {rows, static_cast<std::int64_t>(step.outputs)});
    sum = graph_.node("Gemm", {shared_, weights, sum});
  }
  std::size_t first = 0;
  for (std::size_t c = 0; c < step.columns.size(); ++c) {
    if (step.columns[c].kind == ColumnBasis::Kind::category)
      sum = graph_.node("Add", {category(step, c, first, x), sum});
    first += step.columns[c].rows();
  }
  return sum;
}

}  // namespace strata::exported
