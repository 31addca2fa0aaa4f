// Tables: read from files, made up, or built from columns.
#include <nanobind/stl/filesystem.h>

#include "arrays.h"
#include "module.h"
#include "strata/core/errors.h"
#include "strata/data/generators.h"
#include "strata/data/read.h"
#include "strata/data/table.h"

namespace bindings {

using namespace nb::literals;
using strata::Table;

namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Numbers as an array, categories as (texts, codes).
nb::object column(const Table& table, const std::string& name) {
  const strata::Column& found = table.column(name);
  if (found.type == strata::ColumnType::numeric)
    return nb::cast(to_array(strata::Vector(found.numbers.begin(), found.numbers.end())));
  return nb::make_tuple(found.categories, std::vector(found.codes.begin(), found.codes.end()));
}

void add_generators(nb::module_& module) {
  module.def(
      "friedman1",
      [](std::size_t rows, std::size_t inputs, double noise, std::uint64_t seed) {
        return strata::friedman1({.rows = rows, .inputs = inputs, .noise = noise, .seed = seed});
      },
      "rows"_a = 1000, "inputs"_a = 10, "noise"_a = 1.0, "seed"_a = 0);
  module.def(
      "folded_staircase",
      [](std::size_t rows, std::size_t inputs, int folds, double noise, std::uint64_t seed) {
        return strata::folded_staircase(
            {.rows = rows, .inputs = inputs, .folds = folds, .noise = noise, .seed = seed});
      },
      "rows"_a = 1000, "inputs"_a = 4, "folds"_a = 4, "noise"_a = 0.0, "seed"_a = 0);
  module.def(
      "housing",
      [](std::size_t rows, double noise, std::uint64_t seed) {
        return strata::housing({.rows = rows, .noise = noise, .seed = seed});
      },
      "rows"_a = 1000, "noise"_a = 0.05, "seed"_a = 0);
  module.def(
      "spirals",
      [](std::size_t rows, std::size_t classes, double noise, std::uint64_t seed) {
        return strata::spirals({.rows = rows, .classes = classes, .noise = noise, .seed = seed});
      },
      "rows"_a = 1000, "classes"_a = 2, "noise"_a = 0.02, "seed"_a = 0);
}

using Names = std::vector<std::string>;
using Sign = std::optional<std::string>;

std::optional<char> sign(const char* option, const Sign& text) {
  if (!text) return {};
  if (text->size() > 1) throw strata::InvalidOption(option, *text, "use one sign");
  return text->empty() ? '\0' : text->front();
}

Table read(const std::filesystem::path& path, Names numeric, Names categorical, const Sign& separator,
           const Sign& decimal, const Sign& thousands, const Sign& quote, std::optional<bool> header,
           Names names, std::optional<Names> na, const std::optional<std::string>& encoding) {
  using strata::Header;
  strata::TextStyle style{.separator = sign("separator", separator),
                          .quote = sign("quote", quote),
                          .decimal = sign("decimal", decimal),
                          .thousands = sign("thousands", thousands),
                          .names = std::move(names),
                          .missing = std::move(na)};
  if (header) style.header = *header ? Header::present : Header::absent;
  if (encoding) style.encoding = strata::encoding_from(*encoding);
  Table table = strata::read_table(
      path, {.style = std::move(style), .numeric = std::move(numeric), .nominal = std::move(categorical)});
  warn(table.notices);
  return table;
}

}  // namespace

void add_data(nb::module_& module) {
  nb::class_<Table>(module, "Table", "Typed columns: numbers, or categories.")
      .def(
          "__init__", [](Table* self, const std::string& name) { new (self) Table{.file = name}; },
          "name"_a = "table")
      .def(
          "add_numbers",
          [](Table& self, const std::string& name, const Array1& numbers) {
            self.columns.push_back(
                strata::numeric_column(name, {numbers.data(), numbers.data() + numbers.size()}));
          },
          "name"_a, "numbers"_a, "NaN: missing.")
      .def(
          "add_categories",
          [](Table& self, const std::string& name, std::vector<std::string> categories, const Codes& codes) {
            self.columns.push_back(strata::nominal_column(name, std::move(categories),
                                                          {codes.data(), codes.data() + codes.size()}));
          },
          "name"_a, "categories"_a, "codes"_a, "Codes count from 0 into the categories; -1: missing.")
      .def(
          "set_weights",
          [](Table& self, const Array1& weights) {
            self.weights.assign(weights.data(), weights.data() + weights.size());
          },
          "weights"_a)
      .def_prop_ro("names", &Table::names)
      .def("__len__", &Table::rows)
      .def("column", &column, "name"_a, "Numbers as an array, or (categories, codes).");
  module.def("read_table", &read, "path"_a, "numeric"_a = Names{}, "categorical"_a = Names{}, nb::kw_only(),
             "separator"_a = nb::none(), "decimal"_a = nb::none(), "thousands"_a = nb::none(),
             "quote"_a = nb::none(), "header"_a = nb::none(), "names"_a = Names{}, "na"_a = nb::none(),
             "encoding"_a = nb::none(),
             "A CSV, ARFF or KEEL file, also gzipped.\n\n"
             "separator, decimal, thousands, quote: one sign each; quote '' means none. header: True or "
             "False. names: of the "
             "columns, instead of those in the file. na: texts that stand for a missing value, beside an "
             "empty cell. "
             "encoding: 'utf-8', 'utf-16' or 'latin-1'. What is not given is detected, or the default; what "
             "was detected "
             "and may surprise is a warning.");
  add_generators(module);
}

}  // namespace bindings
