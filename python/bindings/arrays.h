// Between NumPy arrays and the library's views and vectors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "strata/core/vector.h"
#include "strata/data/dataset.h"
#include "strata/data/numeric_rows.h"
#include "strata/network/network.h"

namespace bindings {

namespace nb = nanobind;

using Array1 = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result1 = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Result2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// Rows that Python holds: the arrays must outlive the view.
inline strata::ConstMatrix view(const Array2& array) {
  return {array.data(), array.shape(0), array.shape(1)};
}
inline std::span<const double> view(const Array1& array) { return {array.data(), array.shape(0)}; }
inline std::span<const double> view(const std::optional<Array1>& array) {
  return array ? view(*array) : std::span<const double>{};
}

// A NumPy array that owns the numbers.
Result1 to_array(strata::Vector numbers);
Result2 to_array(strata::Vector numbers, std::size_t rows, std::size_t columns);

// Weights as a list of arrays, one for each layer of the block: fan_in x fan_out, a bias as the last row.
std::vector<Result2> to_layers(const strata::Architecture& architecture, strata::Block block,
                               std::span<const double> weights);
strata::Vector from_layers(const strata::Network& network, strata::Block block,
                           const std::vector<Array2>& layers);

// None: all layers; a number: that layer; a pair: first to last.
strata::Block block_of(const strata::Network& network, nb::handle block);

// Checks that inputs, targets and weights have the same number of rows.
strata::Dataset dataset(const Array2& x, const Array2& y, const std::optional<Array1>& weights);

using Dict = nb::typed<nb::dict, nb::str, nb::any>;

// A Python warning for each sentence.
void warn(const std::vector<std::string>& notices);

// A JSON object as Python's json module reads it.
Dict from_json(const std::string& text);

}  // namespace bindings
