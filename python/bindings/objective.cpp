// f(w) = mean loss + r ||w||^2 as a function of lists of arrays, for people who write their own optimiser.
#include "strata/objective/objective.h"

#include <optional>

#include "arrays.h"
#include "engine.h"
#include "module.h"
#include "strata/core/errors.h"
#include "strata/core/fields.h"

namespace bindings {

using namespace nb::literals;

namespace {

// The network, its rows and the objective on them. The objective keeps activations of the layers whose weights did not
// change since the last call.
class RowsObjective {
 public:
  RowsObjective(strata::Network network, const strata::Dataset& data, double l2, strata::Precision precision,
                std::size_t threads)
      : network_(std::move(network)),
        engine_({.threads = threads}),
        rows_(data, engine_),
        objective_(network_, rows_, {.l2 = l2, .precision = precision}) {
    warn_if_threads_are_missing(engine_);
  }

  [[nodiscard]] const strata::Network& network() const { return network_; }

  double value(const std::vector<Array2>& weights) {
    move_to(weights);
    const nb::gil_scoped_release unlocked;
    return objective_.value();
  }

  nb::tuple value_and_gradient(const std::vector<Array2>& weights, nb::handle which) {
    const strata::Block block = block_of(network_, which);
    move_to(weights);
    strata::Vector gradient(network_.size(block));
    double value = 0;
    {
      const nb::gil_scoped_release unlocked;
      const strata::Vector here(network_.weights(block).begin(), network_.weights(block).end());
      value = objective_.open(block).value_and_gradient(here, gradient);
    }
    return nb::make_tuple(value, to_layers(network_.architecture(), block, gradient));
  }

  // Counts what makes an opened block invalid.
  [[nodiscard]] std::size_t moves() const { return moves_; }

  strata::BlockObjective open(const std::vector<Array2>& weights, strata::Block block) {
    move_to(weights);
    return objective_.open(block);
  }

 private:
  void move_to(const std::vector<Array2>& layers) {
    ++moves_;
    const strata::Vector weights = from_layers(network_, network_.whole(), layers);
    const auto now = network_.weights();
    for (std::size_t l = 0; l < network_.layers(); ++l) {
      const strata::Block rest{l, network_.layers() - 1};
      const std::size_t start = network_.offset(rest);
      const std::size_t size = network_.size({l, l});
      if (std::equal(now.begin() + start, now.begin() + start + size, weights.begin() + start)) continue;
      objective_.commit(rest, std::span<const double>(weights).subspan(start));
      return;
    }
  }

  strata::Network network_;
  strata::Engine engine_;
  strata::PackedRows rows_;
  strata::Objective objective_;
  std::size_t moves_ = 0;
};

// The quadratic model of the mean loss in one layer around some weights.
class GaussNewton {
 public:
  GaussNewton(RowsObjective& objective, const std::vector<Array2>& weights, std::size_t layer)
      : objective_(&objective),
        block_(block_of(objective.network(), nb::int_(layer))),
        opened_(objective.open(weights, block_)),
        moves_(objective.moves()) {
    const nb::gil_scoped_release unlocked;
    model_ = opened_.model();
    value_ = model_->value();
    gradient_.assign(model_->gradient().begin(), model_->gradient().end());
  }

  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] Result2 gradient() const { return as_layer(gradient_); }

  [[nodiscard]] Result2 times(const Array2& v) const {
    require_current();
    const strata::Vector direction = from_layers(objective_->network(), block_, {v});
    strata::Vector product(direction.size());
    {
      const nb::gil_scoped_release unlocked;
      model_->times(direction, product, -model_->ridge());
    }
    return as_layer(product);
  }

 private:
  void require_current() const {
    if (objective_->moves() != moves_)
      throw strata::Error(
          "the objective was evaluated elsewhere since this model was made; call gauss_newton again");
  }
  [[nodiscard]] Result2 as_layer(const strata::Vector& numbers) const {
    return to_layers(objective_->network().architecture(), block_, numbers).front();
  }

  RowsObjective* objective_;
  strata::Block block_;
  strata::BlockObjective opened_;
  std::optional<strata::LocalModel> model_;
  std::size_t moves_;
  strata::Vector gradient_;
  double value_ = 0;
};

}  // namespace

void add_objective(nb::module_& module) {
  nb::class_<GaussNewton>(module, "GaussNewton",
                          "The Gauss-Newton model of the mean loss in the weights of one layer.")
      .def_prop_ro("value", &GaussNewton::value, "f, regulariser included.")
      .def_prop_ro("gradient", &GaussNewton::gradient, nb::rv_policy::move,
                   "Of f in the layer, regulariser included.")
      .def("times", &GaussNewton::times, "v"_a, "(2/rows) J'J v: the regulariser is left out.");
  nb::class_<RowsObjective>(module, "RowsObjective", "The objective on some rows.")
      .def(
          "__init__",
          [](RowsObjective* self, const strata::Network& network, const Array2& x, const Array2& y, double l2,
             const std::optional<Array1>& weights, const std::string& precision, std::size_t threads) {
            new (self) RowsObjective(network, dataset(x, y, weights), l2,
                                     strata::from_name<strata::Precision>("precision", precision), threads);
          },
          "network"_a, "x"_a, "y"_a, "l2"_a, "weights"_a.none(), "precision"_a, "threads"_a)
      .def_prop_ro("network", &RowsObjective::network, nb::rv_policy::copy)
      .def("value", &RowsObjective::value, "weights"_a)
      .def("value_and_gradient", &RowsObjective::value_and_gradient, "weights"_a, "block"_a = nb::none())
      .def(
          "gauss_newton",
          [](RowsObjective& self, const std::vector<Array2>& weights, std::size_t layer) {
            return GaussNewton(self, weights, layer);
          },
          "weights"_a, "layer"_a, nb::keep_alive<0, 1>());
}

}  // namespace bindings
