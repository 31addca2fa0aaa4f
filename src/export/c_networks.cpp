// The networks of a model in C.
#include "export/c_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace strata::exported {

namespace {

constexpr auto dense_text =
    "/* y = bias */\n"
    "static void start(const double *restrict bias, int outputs, double *restrict y) {\n"
    "  for (int i = 0; i < outputs; ++i) y[i] = bias ? bias[i] : 0.0;\n"
    "}\n\n"
    "/* y = y + factor * row */\n"
    "static void add(double factor, const double *restrict row, int outputs, double *restrict y) {\n"
    "  for (int i = 0; i < outputs; ++i) y[i] += row[i] * factor;\n"
    "}\n\n"
    "/* y = bias + x * weights, which has a row for each x. */\n"
    "static void dense(const double *restrict weights, const double *restrict bias, int inputs, int "
    "outputs,\n"
    "                  const double *restrict x, double *restrict y) {\n"
    "  start(bias, outputs, y);\n"
    "  for (int k = 0; k < inputs; ++k) add(x[k], weights + k * outputs, outputs, y);\n"
    "}\n\n";

// As FeatureLayer::touch.
constexpr auto tables_text =
    "/* How the first layer reads an input: which rows of its table, from `first` on, are added, and how "
    "often. */\n"
    "struct column {\n"
    "  enum { scaled, piecewise, category } kind;\n"
    "  int first, entries;\n"
    "  int missing; /* 1: the row after the entries is for a missing value */\n"
    "  const double *knots, *inverse_gaps;\n"
    "  int inputs[2]; /* the number is the sum of two inputs times factors; a second one below 0: the first "
    "input */\n"
    "  double factors[2];\n"
    "};\n\n"
    "static int knot_before(const struct column *c, double x) {\n"
    "  int first = 0;\n"
    "  for (int count = c->entries - 1; count > 1;) {\n"
    "    const int half = count / 2;\n"
    "    first += c->knots[first + half] <= x ? half : 0;\n"
    "    count -= half;\n"
    "  }\n"
    "  return first;\n"
    "}\n\n"
    "/* y = bias + rows of the table. */\n"
    "static void tables(const struct column *columns, int count, const double *restrict table,\n"
    "                   const double *restrict bias, int outputs, const double *restrict x, double *restrict "
    "y) {\n"
    "  start(bias, outputs, y);\n"
    "  for (int k = 0; k < count; ++k) {\n"
    "    const struct column *const c = columns + k;\n"
    "    const double *const rows = table + c->first * outputs;\n"
    "    double v = x[c->inputs[0]];\n"
    "    if (c->inputs[1] >= 0) v = c->factors[0] * v + c->factors[1] * x[c->inputs[1]];\n"
    "    if (isnan(v)) {\n"
    "      if (c->missing) add(1.0, rows + c->entries * outputs, outputs, y);\n"
    "    } else if (c->kind == scaled) {\n"
    "      add(v, rows, outputs, y);\n"
    "    } else if (c->kind == piecewise) {\n"
    "      const int knot = knot_before(c, v);\n"
    "      const double t = (v - c->knots[knot]) * c->inverse_gaps[knot];\n"
    "      add(1.0 - t, rows + knot * outputs, outputs, y);\n"
    "      add(t, rows + (knot + 1) * outputs, outputs, y);\n"
    "    } else if (v >= 0.0 && v < c->entries) {\n"
    "      add(1.0, rows + (int)v * outputs, outputs, y);\n"
    "    }\n"
    "  }\n"
    "}\n\n";

constexpr auto radial_text =
    "/* y = factor * squared distance of x to each centre; centres has a row for each x. */\n"
    "static void radial(const double *restrict centres, double factor, int inputs, int outputs,\n"
    "                   const double *restrict x, double *restrict y) {\n"
    "  for (int i = 0; i < outputs; ++i) {\n"
    "    y[i] = 0.0;\n"
    "    for (int k = 0; k < inputs; ++k) {\n"
    "      const double d = x[k] - centres[k * outputs + i];\n"
    "      y[i] += factor * d * d;\n"
    "    }\n"
    "  }\n"
    "}\n\n";

// Names of what a layer keeps end with the numbers of its network and of the layer.
struct Place {
  std::size_t network, layer;
  [[nodiscard]] std::string name(const char* what) const {
    return fmt::format("{}_{}_{}", what, network, layer);
  }
};

class NetworkWriter {
 public:
  NetworkWriter(const Program& program, CText& out) : program_(program), out_(out) {}

  void write() {
    helpers();
    for (std::size_t m = 0; m < program_.networks.size(); ++m) network(m);
  }

 private:
  // Only what is used: a compiler may complain about the rest.
  void helpers() {
    std::set<Activation> used;
    bool has_tables = false, has_centres = false;
    for (const auto& steps : program_.networks)
      for (const Step& step : steps) {
        std::visit([&](const auto& each) { used.insert(each.activation); }, step);
        has_tables = has_tables || std::holds_alternative<Tables>(step);
        has_centres = has_centres || std::holds_alternative<Radial>(step);
      }
    if (program_.link == Link::quantiles && program_.levels > 1) used.insert(Activation::softplus);
    used.erase(Activation::linear);
    for (const Activation activation : used)
      out_.put("static double activation_{}(double a) {{ return {}; }}\n\n", to_string(activation),
               info_of(activation).c);
    out_.put("{}{}{}", dense_text, has_tables ? tables_text : "", has_centres ? radial_text : "");
  }

  void network(std::size_t m) {
    const std::vector<Step>& steps = program_.networks[m];
    std::size_t widest = 1;
    for (std::size_t l = 0; l < steps.size(); ++l)
      widest = std::max(widest, std::visit(
                                    [&](const auto& step) {
                                      return store(step, Place{m, l});
                                    },
                                    steps[l]));
    out_.put("static void network_{}(const double *x, double *out) {{\n", m);
    if (steps.size() > 1) out_.put("  double a[{}];\n", widest);
    if (steps.size() > 2) out_.put("  double b[{}];\n", widest);
    const char* from = "x";
    for (std::size_t l = 0; l < steps.size(); ++l) {
      const char* const to = l + 1 == steps.size() ? "out" : l % 2 == 0 ? "a" : "b";
      std::visit([&](const auto& step) { apply(step, Place{m, l}, from, to); }, steps[l]);
      from = to;
    }
    out_.put("}}\n\n");
  }

  // What a step keeps; the number of its outputs.
  std::size_t store(const Dense& step, const Place& place) {
    out_.constants(place.name("weights"),
                   {step.weights.data(), step.weights.rows() * step.weights.columns()});
    if (!step.bias.empty()) out_.constants(place.name("bias"), step.bias);
    return step.weights.columns();
  }

  std::size_t store(const Tables& step, const Place& place) {
    out_.constants(place.name("table"), step.entries);
    if (!step.bias.empty()) out_.constants(place.name("bias"), step.bias);
    for (std::size_t c = 0; c < step.columns.size(); ++c)
      if (step.columns[c].kind == ColumnBasis::Kind::piecewise) {
        out_.constants(fmt::format("{}_{}", place.name("knots"), c), step.columns[c].knots);
        out_.constants(fmt::format("{}_{}", place.name("inverse_gaps"), c), inverse_gaps(step.columns[c]));
      }
    out_.put("static const struct column {}[{}] = {{\n", place.name("columns"), step.columns.size());
    std::size_t first = 0;
    for (std::size_t c = 0; c < step.columns.size(); ++c) {
      const ColumnBasis& column = step.columns[c];
      const bool knots = column.kind == ColumnBasis::Kind::piecewise;
      const std::string number =
          column.sum ? fmt::format("{{{}, {}}}, {{{}, {}}}", column.sum->inputs[0], column.sum->inputs[1],
                                   c_number(column.sum->factors[0]), c_number(column.sum->factors[1]))
                     : fmt::format("{{{}, -1}}, {{1.0, 0.0}}", c);
      out_.put("  {{{}, {}, {}, {}, {}, {}, {}}},\n", to_string(column.kind), first, column.entries(),
               column.missing ? 1 : 0, knots ? fmt::format("{}_{}", place.name("knots"), c) : "NULL",
               knots ? fmt::format("{}_{}", place.name("inverse_gaps"), c) : "NULL", number);
      first += column.rows();
    }
    out_.put("}};\n\n");
    return step.outputs;
  }

  std::size_t store(const Radial& step, const Place& place) {
    out_.constants(place.name("centres"),
                   {step.centres.data(), step.centres.rows() * step.centres.columns()});
    return step.centres.columns();
  }

  void apply(const Dense& step, const Place& place, const char* from, const char* to) {
    out_.put("  dense({}, {}, {}, {}, {}, {});\n", place.name("weights"), bias(step.bias, place),
             step.weights.rows(), step.weights.columns(), from, to);
    activate(step.activation, step.weights.columns(), to);
  }

  void apply(const Tables& step, const Place& place, const char* from, const char* to) {
    out_.put("  tables({}, {}, {}, {}, {}, {}, {});\n", place.name("columns"), step.columns.size(),
             place.name("table"), bias(step.bias, place), step.outputs, from, to);
    activate(step.activation, step.outputs, to);
  }

  void apply(const Radial& step, const Place& place, const char* from, const char* to) {
    out_.put("  radial({}, {}, {}, {}, {}, {});\n", place.name("centres"), c_number(step.factor),
             step.centres.rows(), step.centres.columns(), from, to);
    activate(step.activation, step.centres.columns(), to);
  }

  static std::string bias(std::span<const double> values, const Place& place) {
    return values.empty() ? "NULL" : place.name("bias");
  }

  void activate(Activation activation, std::size_t count, const char* values) {
    if (activation == Activation::linear) return;
    out_.put("  for (int i = 0; i < {0}; ++i) {1}[i] = activation_{2}({1}[i]);\n", count, values,
             to_string(activation));
  }

  const Program& program_;
  CText& out_;
};

}  // namespace

void write_networks(const Program& program, CText& out) { NetworkWriter(program, out).write(); }

}  // namespace strata::exported
