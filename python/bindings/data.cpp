// Tables: read from files, made up, or built from columns.
#include <nanobind/stl/filesystem.h>

#include "arrays.h"
#include "module.h"
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
  return nb::make_tuple(found.categories, found.codes);
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
  module.def(
      "read_table",
      [](const std::filesystem::path& path, std::vector<std::string> numeric,
         std::vector<std::string> categorical) {
        return strata::read_table(path, {.numeric = std::move(numeric), .nominal = std::move(categorical)});
      },
      "path"_a, "numeric"_a = std::vector<std::string>{}, "categorical"_a = std::vector<std::string>{},
      "A CSV, ARFF or KEEL file, also gzipped.");
  add_generators(module);
}

}  // namespace bindings
