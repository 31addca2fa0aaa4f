#include "strata/export/c_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

#include "export/c_names.h"
#include "export/c_text.h"
#include "export/models.h"
#include "strata/core/errors.h"
#include "strata/model/predict.h"
#include "support/bytes.h"
#include "support/files.h"

namespace strata {
namespace {

using exported::c_literal;
using exported::c_number;
using support::ExportCase;
using support::TemporaryDirectory;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto strict = "cc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -ffp-contract=off";

std::string output_of(const std::string& command) {
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t read = 0; (read = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    text.append(part.data(), read);
  EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << text;
  return text;
}

// New rows: gaps, a street and a number of rooms that training did not have.
Table new_rows() {
  Table table = support::mixed_table(60, 9, true);
  table.columns[1].categories[3] = "unheard of";
  table.columns[1].codes[5] = 3;
  table.columns[4].numbers[7] = 17;
  return table;
}

// The rows of a model without a prediction are NaN.
std::vector<double> expected(const Model& model, const Table& rows) {
  const std::size_t columns = predicted_columns(model);
  std::vector<double> all;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::vector<double> one(columns, nan);
    try {
      predict(model, take_rows(rows, std::array{row}), Matrix(one.data(), 1, columns));
    } catch (const DataError&) {
      std::ranges::fill(one, nan);
    }
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// The value of a field for a row, as C.
std::string cell(const exported::Field& field, const Table& rows, std::size_t row) {
  if (field.of_date) {
    const Column& column = rows.column("opened");
    if (column.is_missing(row)) return "NAN";
    const std::string part = field.name.substr(field.name.find(' ') + 1);
    const auto kind = std::ranges::find(date_parts, part, [](DatePart each) { return to_string(each); });
    return c_number(Moment::parse(column.text(row), DateOrder::day_first)->part(*kind) + field.origin);
  }
  const Column& column = rows.column(field.name);
  if (column.type == ColumnType::nominal) return c_literal(column.is_missing(row) ? "" : column.text(row));
  return column.is_missing(row) ? "NAN" : c_number(column.numbers[row]);
}

// A C function that predicts the rows and prints them.
std::string caller(const ExportCase& each, const Table& rows) {
  const exported::Program program = exported::program_of(each.model);
  const exported::CNames names = exported::c_names(program, each.name);
  std::string text = fmt::format(
      "static void call_{0}(void) {{\n  struct {0}_input in;\n  struct {0}_output out;\n", each.name);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    for (std::size_t k = 0; k < program.fields.size(); ++k) {
      std::string value = cell(program.fields[k], rows, row);
      if (program.fields[k].category) value = fmt::format("{}({})", names.categories[k].from, value);
      text += fmt::format("  in.{} = {};\n", names.fields[k], value);
    }
    text += fmt::format("  printf(\"%d\", (int){}_predict(&in, &out));\n", each.name);
    if (program.classes.empty())
      for (const std::string& member : names.outputs)
        text += fmt::format("  printf(\" %.17g\", out.{});\n", member);
    else
      for (std::size_t k = 0; k < program.classes.size(); ++k)
        text += fmt::format("  printf(\" %.17g\", out.probability[{}]);\n", k);
    text += program.classes.empty() ? "  putchar('\\n');\n"
                                    : fmt::format("  printf(\" %s\\n\", {}(out.label));\n", names.label.text);
  }
  return text + "}\n\n";
}

std::string program_text(const std::vector<ExportCase>& cases, const Table& rows) {
  std::string text;
  for (const ExportCase& each : cases) text += fmt::format("#include \"{}.h\"\n", each.name);
  text += "#include <math.h>\n#include <stdio.h>\n\n";
  for (const ExportCase& each : cases) text += caller(each, rows);
  text += "int main(void) {\n";
  for (const ExportCase& each : cases) text += fmt::format("  call_{}();\n", each.name);
  return text + "  return 0;\n}\n";
}

// Relative to the largest prediction of the column: offset and range of a target cancel in some rows.
double largest(const std::vector<double>& values, std::size_t column, std::size_t columns) {
  double top = 0;
  for (std::size_t i = column; i < values.size(); i += columns) top = std::fmax(top, std::abs(values[i]));
  return top;
}

void expect_predictions(const ExportCase& each, const Table& rows, std::istream& printed) {
  const std::vector<double> wanted = expected(each.model, rows);
  const std::size_t columns = predicted_columns(each.model);
  const std::vector<std::string> classes = each.model.preprocessor.classes();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::string line;
    std::getline(printed, line);
    std::istringstream words(line);
    int status = -1;
    words >> status;
    const double* const truth = wanted.data() + row * columns;
    EXPECT_EQ(status == 0, !std::isnan(truth[0])) << each.name << " row " << row << ": " << line;
    for (std::size_t k = 0; k < columns; ++k) {
      std::string word;
      words >> word;
      const double found = std::stod(word);
      if (std::isnan(truth[k]))
        EXPECT_TRUE(std::isnan(found)) << each.name << " row " << row;
      else
        EXPECT_NEAR(found, truth[k], 1e-12 * largest(wanted, k, columns)) << each.name << " row " << row;
    }
    if (classes.empty()) continue;
    std::string label;
    std::getline(words, label);
    EXPECT_EQ(label,
              " " + (status == 0
                         ? classes[static_cast<std::size_t>(std::max_element(truth, truth + columns) - truth)]
                         : ""));
  }
}

void expect_the_same_predictions(const std::vector<ExportCase>& cases, const Table& rows) {
  const TemporaryDirectory directory;
  for (const ExportCase& each : cases) export_c(each.model, directory.path() / each.name);
  std::ignore = directory.file("main.c", program_text(cases, rows));
  const std::string in = "cd " + directory.path().string() + " && ";
  ASSERT_EQ(output_of(in + strict + " *.c -lm -o all"), "");
  std::istringstream printed(output_of(in + "./all"));
  for (const ExportCase& each : cases) expect_predictions(each, rows, printed);
}

TEST(CSource, CompilesWithoutWarningsAndPredictsWhatTheModelDoes) {
  expect_the_same_predictions(support::export_cases(), new_rows());
}

TEST(CSource, EndsNumbersThatAreFarAwayWhereTheModelDoes) {
  std::vector<ExportCase> cases = support::export_cases();
  std::erase_if(
      cases, [](const ExportCase& each) { return each.name != "with_relu" && each.name != "knots_linear"; });
  Table rows = support::mixed_table(2, 3, false);
  rows.columns[0].numbers = {1e308, -1e308};
  expect_the_same_predictions(cases, rows);
}

TEST(CSource, CanBeIncludedByCPlusPlusAndCallsNothingBesideMathematicsAndStrings) {
  const TemporaryDirectory directory;
  const std::vector<ExportCase> cases = support::export_cases();
  const auto two = std::ranges::find(cases, "two_classes", &ExportCase::name);
  export_c(two->model, directory.path() / "m");
  std::ignore = directory.file(
      "use.cpp",
      "#include \"m.h\"\nint main() { m_input in{}; m_output out; return m_predict(&in, &out); }\n");
  const std::string in = "cd " + directory.path().string() + " && ";
  EXPECT_EQ(output_of(in + "c++ -Wall -Wextra -Werror -pedantic -c use.cpp"), "");
  EXPECT_EQ(output_of(in + strict +
                      " -c m.c && nm -u m.o | grep -v 'U exp$\\|U sin$\\|U fmax$\\|U fmin$\\|U expm1$\\|U "
                      "tanh$\\|U strcmp$\\|U "
                      "_GLOBAL_OFFSET_TABLE_$\\|U __stack_chk_fail$' || true"),
            "");
}

TEST(CSource, IdentifiersAreUniqueAndNoKeywords) {
  exported::CScope scope;
  EXPECT_EQ(scope.add("int"), "int_");
  EXPECT_EQ(scope.add("a b"), "a_b");
  EXPECT_EQ(scope.add("a-b"), "a_b_2");
  EXPECT_EQ(scope.add("7"), "x7");
  EXPECT_EQ(scope.add("\303\251"), "x");
  EXPECT_EQ(c_literal("a\"\\?\n\303"), R"("a\"\\\?\012\303")");
  EXPECT_EQ(c_number(3), "3.0");
  EXPECT_EQ(c_number(-1e300), "-1e+300");
}

TEST(CSource, WritesBothFilesOrNone) {
  const TemporaryDirectory directory;
  const Model model = support::export_cases().front().model;
  std::filesystem::create_directory(directory.path() / "m.c");
  EXPECT_THROW(export_c(model, directory.path() / "m"), Error);
  EXPECT_EQ(support::files_in(directory.path()), 1);
  EXPECT_THROW(export_c(model, directory.path() / "no name"), InvalidOption);
}

}  // namespace
}  // namespace strata
