// The source of a model in C: a function for what comes before the networks, one for what comes after them, and all together.
#include "strata/export/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "export/c_names.h"
#include "export/c_networks.h"
#include "export/c_text.h"
#include "export/program.h"
#include "strata/core/errors.h"
#include "strata/core/write_file.h"

namespace strata {

namespace exported {

namespace {

class CWriter : CText {
 public:
  CWriter(const Program& program, const CNames& names) : program_(program), names_(names) {}

  std::string write(std::string_view header) {
    put("/* This file is generated: see {0}. */\n#include \"{0}\"\n\n#include <math.h>\n#include "
        "<string.h>\n\n",
        header);
    write_networks(program_, *this);
    encoding();
    response();
    prediction();
    for (std::size_t k = 0; k < program_.fields.size(); ++k)
      if (program_.fields[k].category) {
        text_of(names_.categories[k], program_.fields[k].categories);
        category_from(program_.fields[k], names_.categories[k]);
      }
    if (!program_.classes.empty()) text_of(names_.label, program_.classes);
    return text();
  }

 private:
  void encoding() {
    put("static enum {0}_status encode(const struct {0}_input *input, double *x) {{\n", names_.prefix);
    for (std::size_t k = 0; k < program_.fields.size(); ++k)
      program_.fields[k].category ? encode_category(k) : encode_number(k);
    put("  return {}_done;\n}}\n\n", names_.prefix);
  }

  void encode_number(std::size_t k) {
    const Field& field = program_.fields[k];
    const std::string value = "input->" + names_.fields[k];
    if (!program_.fills_missing && !field.optional)
      put("  if (isnan({})) return {}_missing_value;\n", value, names_.prefix);
    if (field.indicator) put("  x[{}] = isnan({}) ? 1.0 : 0.0;\n", *field.indicator, value);
    if (field.period > 0) return encode_angle(field, value);
    const std::string scaled =
        field.scale.range == 0
            ? "0.0"
            : fmt::format("fmax(-{3}, fmin({3}, ({0} - {1}) / {2}))", value, c_number(field.scale.offset),
                          c_number(field.scale.range), c_number(Scale::farthest));
    put("  x[{}] = isnan({}) ? {} : {};\n", field.feature, value, filling(field), scaled);
  }

  void encode_angle(const Field& field, const std::string& value) {
    constexpr double turn = 2 * std::numbers::pi;
    for (std::size_t quarter = 0; quarter < 2; ++quarter)
      put("  x[{0}] = isnan({1}) ? {6} : sin({2} * ({1} - {3}) / {4} + {5});\n", field.feature + quarter,
          value, c_number(turn), c_number(field.origin), c_number(field.period),
          c_number(static_cast<double>(quarter) * std::numbers::pi / 2), filling(field));
  }

  static std::string filling(const Field& field) {
    return std::isnan(field.fill) ? "NAN" : c_number(field.fill);
  }

  void encode_category(std::size_t k) {
    const Field& field = program_.fields[k];
    const std::size_t count = field.categories.size();
    put("  {{\n    int code = (int)input->{};\n", names_.fields[k]);
    if (field.indicator) put("    x[{}] = code == -1 ? 1.0 : 0.0;\n", *field.indicator);
    if (!program_.fills_missing)
      put("    if (code == -1) return {}_missing_value;\n", names_.prefix);
    else if (!field.coded)
      put("    if (code == -1) code = {};\n", field.fill_category);
    if (!program_.takes_unseen)
      put("    if (code < {} || code >= {}) return {}_unseen_category;\n", field.coded ? -1 : 0, count,
          names_.prefix);
    if (field.coded)
      put("    x[{0}] = code == -1 ? NAN : code >= 0 && code < {1} ? code : {1};\n  }}\n", field.feature,
          count);
    else
      put("    for (int i = 0; i < {0}; ++i) x[{1} + i] = code == i{2} ? 1.0 : 0.0;\n  }}\n",
          field.value_width(), field.feature, field.value_width() == 1 ? " + 1" : "");
  }

  [[nodiscard]] std::size_t columns() const { return program_.names.size(); }

  // From outputs to predictions, in place.
  void response() {
    put("static void respond(double *y) {{\n");
    const std::size_t n = columns();
    switch (program_.link) {
      case Link::identity: break;
      case Link::quantiles:
        if (program_.levels > 1)
          put("  for (int k = 0; k < {}; ++k)\n    if (k % {} > 0) y[k] = y[k - 1] + "
              "activation_softplus(y[k]);\n",
              n, program_.levels);
        break;
      case Link::exponential:
        put("  for (int k = 0; k < {}; ++k) y[k] = exp(fmin(y[k], {}));\n", n, c_number(largest_exponent));
        break;
      case Link::logistic:
        put("  y[1] = y[0] / {};\n  y[0] = -y[1];\n"
            "  for (int k = 0; k < 2; ++k) y[k] = (y[k] < 0.0 ? exp(y[k]) : 1.0) / (1.0 + "
            "exp(-fabs(y[k])));\n",
            c_number(program_.temperature));
        break;
      case Link::softmax:
        put("  double top = y[0], total = 0.0;\n"
            "  for (int k = 1; k < {0}; ++k) top = fmax(top, y[k]);\n"
            "  for (int k = 0; k < {0}; ++k) total += y[k] = exp((y[k] - top) / {1});\n"
            "  for (int k = 0; k < {0}; ++k) y[k] /= total;\n",
            n, c_number(program_.temperature));
        break;
    }
    for (std::size_t k = 0; k < program_.units.size(); ++k)
      put("  y[{0}] = {1} + y[{0}] * {2};\n", k, c_number(program_.units[k].offset),
          c_number(program_.units[k].range));
    put("}}\n\n");
  }

  void prediction() {
    const std::size_t n = columns();
    const std::size_t members = program_.networks.size();
    put("enum {0}_status {0}_predict(const struct {0}_input *input, struct {0}_output *output) {{\n"
        "  double x[{1}], y[{2}], mean[{2}];\n"
        "  const enum {0}_status status = encode(input, x);\n"
        "  for (int k = 0; k < {2}; ++k) mean[k] = status == {0}_done ? 0.0 : NAN;\n"
        "  if (status == {0}_done) {{\n",
        names_.prefix, program_.features, n);
    for (std::size_t m = 0; m < members; ++m)
      put("    network_{}(x, y);\n    respond(y);\n    for (int k = 0; k < {}; ++k) mean[k] += y[k];\n", m,
          n);
    if (members > 1)
      put("    for (int k = 0; k < {}; ++k) mean[k] /= {};\n", n, c_number(static_cast<double>(members)));
    put("  }}\n");
    if (program_.classes.empty())
      for (std::size_t k = 0; k < n; ++k) put("  output->{} = mean[{}];\n", names_.outputs[k], k);
    else
      put("  output->label = status == {0}_done ? {1} : {2};\n"
          "  for (int k = 0; k < {3}; ++k) {{\n"
          "    output->probability[k] = mean[k];\n"
          "    if (mean[k] > mean[output->label < 0 ? 0 : output->label]) output->label = (enum {4})k;\n"
          "  }}\n",
          names_.prefix, names_.label.enumerators.front(), names_.label.missing, n, names_.label.tag);
    put("  return status;\n}}\n");
  }

  void text_of(const CEnum& names, const std::vector<std::string>& categories) {
    put("\nstatic const char *const texts_of_{}[] = {{", names.tag);
    for (const std::string& category : categories) put("\n  {},", c_literal(category));
    put("\n}};\n\nconst char *{0}(enum {1} value) {{\n"
        "  return (int)value >= 0 && (int)value < {2} ? texts_of_{1}[value] : \"\";\n}}\n",
        names.text, names.tag, categories.size());
  }

  void category_from(const Field& field, const CEnum& names) {
    const bool numbers = !field.numbers.empty();
    if (numbers) {
      put("\n");
      constants("numbers_of_" + names.tag, field.numbers);
    }
    put("\nenum {} {}({}) {{\n  if ({}) return {};\n  for (int k = 0; k < {}; ++k)\n", names.tag, names.from,
        numbers ? "double number" : "const char *text", numbers ? "isnan(number)" : "*text == 0",
        names.missing, field.categories.size());
    if (numbers)
      put("    if (number == numbers_of_{0}[k]) return (enum {0})k;\n", names.tag);
    else
      put("    if (strcmp(text, texts_of_{0}[k]) == 0) return (enum {0})k;\n", names.tag);
    put("  return {};\n}}\n", names.other);
  }

  const Program& program_;
  const CNames& names_;
};

}  // namespace

}  // namespace exported

CSource c_source(const Model& model, std::string_view name) {
  const exported::Program program = exported::program_of(model);
  const exported::CNames names = exported::c_names(program, name);
  return {.header = c_header(program, names),
          .source = exported::CWriter(program, names).write(std::string(name) + ".h")};
}

void export_c(const Model& model, const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto usual = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (name.empty() || name == "." || name == ".." || !std::ranges::all_of(name, usual))
    throw InvalidOption("c", path.string(),
                        "use a name of letters, digits and underscores; .h and .c are added to it");
  const CSource files = c_source(model, name);
  FileReplacement header(path.string() + ".h");
  FileReplacement source(path.string() + ".c");
  header.write(files.header);
  source.write(files.source);
  header.commit();
  source.commit();
}

}  // namespace strata
