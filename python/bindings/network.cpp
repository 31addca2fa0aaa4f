#include "strata/network/network.h"

#include <nanobind/stl/variant.h>

#include "arrays.h"
#include "module.h"
#include "strata/core/errors.h"

namespace bindings {

using namespace nb::literals;
using strata::Network;

namespace {

using Activations = std::variant<std::string, std::vector<std::string>>;

strata::Architecture architecture(std::size_t inputs, std::vector<std::size_t> hidden, std::size_t outputs,
                                  const Activations& activation, const std::string& bias,
                                  double radial_width) {
  strata::Architecture made{.inputs = inputs,
                            .hidden = std::move(hidden),
                            .outputs = outputs,
                            .bias = strata::bias_from(bias),
                            .radial_width = radial_width};
  if (const auto* name = std::get_if<std::string>(&activation))
    made.activation = strata::activation_from(*name);
  else
    for (const std::string& one : std::get<std::vector<std::string>>(activation))
      made.activations.push_back(strata::activation_from(one));
  return made;
}

Result2 predict(const Network& network, const Array2& x) {
  if (x.shape(1) != network.architecture().inputs)
    throw strata::InvalidOption("X", std::to_string(x.shape(1)) + " columns",
                                "the network has " + std::to_string(network.architecture().inputs));
  const std::size_t outputs = network.architecture().outputs;
  strata::Vector out(x.shape(0) * outputs);
  {
    const nb::gil_scoped_release unlocked;
    network.predict(view(x), {out.data(), x.shape(0), outputs});
  }
  return to_array(std::move(out), x.shape(0), outputs);
}

void set_weights(Network& network, const std::vector<Array2>& layers) {
  const strata::Vector weights = from_layers(network, network.whole(), layers);
  std::copy(weights.begin(), weights.end(), network.weights().begin());
}

}  // namespace

void add_network(nb::module_& module) {
  module.def("activations", [] {
    std::vector<std::string> names;
    for (const strata::ActivationInfo& each : strata::activations())
      names.emplace_back(to_string(each.activation));
    return names;
  });
  nb::class_<Network>(module, "Network", "A feed-forward network: an architecture and its weights.")
      .def(
          "__init__",
          [](Network* self, std::size_t inputs, std::vector<std::size_t> hidden, std::size_t outputs,
             const Activations& activation, const std::string& bias, double radial_width) {
            new (self)
                Network(architecture(inputs, std::move(hidden), outputs, activation, bias, radial_width));
          },
          "inputs"_a, "hidden"_a, "outputs"_a = 1, "activation"_a = "sigmoid", "bias"_a = "per_layer",
          "radial_width"_a = 1.0,
          "Weights are zero until initialised. One activation for all hidden layers, or a list; the first "
          "may be radial.")
      .def(
          "initialise",
          [](Network& self, const std::string& kind, double scale, std::uint64_t seed) {
            initialise(self, {.kind = strata::initialisation_from(kind), .scale = scale},
                       strata::RandomStream(seed));
          },
          "kind"_a = "glorot", "scale"_a = 0.5, "seed"_a = 1,
          "uniform and normal use the scale; glorot and he do not.")
      .def_prop_rw(
          "weights",
          [](const Network& self) { return to_layers(self.architecture(), self.whole(), self.weights()); },
          &set_weights, nb::rv_policy::move,
          "A copy: an array (fan_in, fan_out) for each layer, a bias as its last row.")
      .def_prop_ro("inputs", [](const Network& self) { return self.architecture().inputs; })
      .def_prop_ro("hidden", [](const Network& self) { return self.architecture().hidden; })
      .def_prop_ro("outputs", [](const Network& self) { return self.architecture().outputs; })
      .def_prop_ro("bias",
                   [](const Network& self) { return std::string(to_string(self.architecture().bias)); })
      .def_prop_ro("layers", &Network::layers)
      .def_prop_ro(
          "size", [](const Network& self) { return self.size(); }, "Number of weights.")
      .def("predict", &predict, "X"_a, "Outputs (rows, outputs), in the units the network was trained in.")
      .def("__repr__",
           [](const Network& self) { return "<strata.Network " + self.architecture().brief() + ">"; });
}

}  // namespace bindings
