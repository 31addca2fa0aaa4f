#include "arrays.h"

#include <algorithm>
#include <memory>

#include "strata/core/errors.h"

namespace bindings {

namespace {

nb::capsule owner_of(std::unique_ptr<strata::Vector> numbers) {
  return nb::capsule(numbers.release(), [](void* p) noexcept { delete static_cast<strata::Vector*>(p); });
}

}  // namespace

Result1 to_array(strata::Vector numbers) {
  auto owned = std::make_unique<strata::Vector>(std::move(numbers));
  double* const data = owned->data();
  const std::size_t size = owned->size();
  return {data, {size}, owner_of(std::move(owned))};
}

Result2 to_array(strata::Vector numbers, std::size_t rows, std::size_t columns) {
  auto owned = std::make_unique<strata::Vector>(std::move(numbers));
  double* const data = owned->data();
  return {data, {rows, columns}, owner_of(std::move(owned))};
}

std::vector<Result2> to_layers(const strata::Architecture& architecture, strata::Block block,
                               std::span<const double> weights) {
  std::vector<Result2> layers;
  for (std::size_t l = block.first; l <= block.last; ++l) {
    const std::size_t size = architecture.fan_in(l) * architecture.width(l);
    const auto part = weights.first(size);
    layers.push_back(
        to_array(strata::Vector(part.begin(), part.end()), architecture.fan_in(l), architecture.width(l)));
    weights = weights.subspan(size);
  }
  return layers;
}

strata::Vector from_layers(const strata::Network& network, strata::Block block,
                           const std::vector<Array2>& layers) {
  const strata::Architecture& architecture = network.architecture();
  const std::size_t count = block.last - block.first + 1;
  if (layers.size() != count)
    throw strata::InvalidOption("weights", std::to_string(layers.size()) + " arrays",
                                "give one for each of " + std::to_string(count) + " layers");
  strata::Vector weights;
  weights.reserve(network.size(block));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t l = block.first + i;
    const strata::ConstMatrix given = view(layers[i]);
    if (given.rows() != architecture.fan_in(l) || given.columns() != architecture.width(l))
      throw strata::InvalidOption(
          "weights[" + std::to_string(i) + "]",
          "(" + std::to_string(given.rows()) + ", " + std::to_string(given.columns()) + ")",
          "layer " + std::to_string(l) + " has the shape (" + std::to_string(architecture.fan_in(l)) + ", " +
              std::to_string(architecture.width(l)) + ")");
    weights.insert(weights.end(), given.data(), given.data() + given.size());
  }
  return weights;
}

strata::Block block_of(const strata::Network& network, nb::handle block) {
  if (block.is_none()) return network.whole();
  strata::Block chosen;
  if (nb::isinstance<nb::int_>(block)) {
    chosen.first = chosen.last = nb::cast<std::size_t>(block);
  } else {
    const auto ends = nb::cast<std::vector<std::size_t>>(block);
    if (ends.size() != 2) throw strata::InvalidOption("block", "not a pair", "use a layer or (first, last)");
    chosen = {ends[0], ends[1]};
  }
  if (chosen.first > chosen.last || chosen.last >= network.layers())
    throw strata::InvalidOption("block",
                                "(" + std::to_string(chosen.first) + ", " + std::to_string(chosen.last) + ")",
                                "use layers from 0 to " + std::to_string(network.layers() - 1));
  return chosen;
}

strata::Dataset dataset(const Array2& x, const Array2& y, const std::optional<Array1>& weights) {
  if (x.shape(0) != y.shape(0))
    throw strata::InvalidOption("y", std::to_string(y.shape(0)) + " rows",
                                "X has " + std::to_string(x.shape(0)));
  strata::Dataset data({x.data(), x.shape(0), x.shape(1)}, {y.data(), y.shape(0), y.shape(1)});
  if (weights) data.weights.assign(weights->data(), weights->data() + weights->size());
  return data;
}

void warn(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices)
    if (PyErr_WarnEx(PyExc_UserWarning, notice.c_str(), 2) != 0) throw nb::python_error();
}

Dict from_json(const std::string& text) {
  return nb::cast<Dict>(nb::module_::import_("json").attr("loads")(text));
}

}  // namespace bindings
