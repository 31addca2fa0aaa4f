#include "strata/trainers/presets.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>

#include "strata/core/errors.h"

namespace strata {

namespace {

// The stopping rules of the paper's batch experiments; the time limit is the caller's.
Stopping paper_stopping() { return {.gradient_norm = 1e-3, .relative_decrease = 1e-4, .max_sweeps = 10000}; }

constexpr double first_step_ig = 0.5;  // alpha_0 of the paper's IG; BLInG divides it by max(1, L-2)

}  // namespace

Scheme b2ld() {
  Scheme scheme;
  scheme.name = "b2ld";
  scheme.updates.hidden = lbfgs();
  // Readings of the paper that its text leaves open; docs/reproduce-the-paper.md
  scheme.tolerance = {.first = 1e-5, .factor = 0.5, .skip = true};
  scheme.stopping = paper_stopping();
  scheme.stopping.gradient_every_sweep = false;
  scheme.reporting.steps = true;
  return scheme;
}

Scheme bld() {
  Scheme scheme;
  scheme.name = "bld";
  scheme.updates = {.hidden = lbfgs(), .output = least_squares()};
  scheme.stopping = {.gradient_norm = 1e-5, .max_sweeps = 200};
  scheme.reporting.steps = true;
  return scheme;
}

Scheme neuron_wise() {
  Scheme scheme = bld();
  scheme.name = "neuron-wise";
  scheme.selection = neuron_groups();
  return scheme;
}

Scheme rbf_decomposition() {
  Scheme scheme = neuron_wise();
  scheme.name = "rbf-decomposition";
  scheme.updates.hidden = ArmijoStepsOptions{.from_last = true};
  scheme.acceptance = any_decrease();  // a step that Armijo's rule took meets the conditions
  return scheme;
}

Scheme whole_lbfgs() {
  Scheme scheme;
  scheme.name = "lbfgs";
  scheme.selection = whole_network();
  // A sweep is one round of iterations, its history kept for the next: the relative decrease is that of a round, as in
  // the paper, where time too was looked at every 30 iterations. The gradient is tested after every iteration.
  const Stopping stopping = paper_stopping();
  scheme.updates.hidden = lbfgs(
      {.solver = {.max_iterations = 30, .gradient_tolerance = stopping.gradient_norm, .keep_history = true}});
  scheme.acceptance = any_decrease();
  scheme.stopping = stopping;
  scheme.stopping.gradient_every_sweep = false;  // the solver tests it after every iteration
  scheme.reporting.steps = true;
  return scheme;
}

Scheme bling(std::size_t layers, std::size_t batch) {
  Scheme scheme = ig(batch);
  scheme.name = "bling";
  scheme.selection = backward_sweep();
  // The paper's L counts hidden layers and the output layer.
  scheme.step_size.first = first_step_ig / std::max(1.0, static_cast<double>(layers) - 2);
  return scheme;
}

Scheme ig(std::size_t batch) {
  Scheme scheme;
  scheme.name = "ig";
  scheme.batches = {.size = batch, .partition = Partition::fixed, .order = BatchOrder::incremental};
  scheme.selection = whole_network();
  scheme.updates.hidden = gradient_step();
  scheme.acceptance = any_decrease();
  scheme.step_size = {.rule = StepSize::Rule::diminishing, .first = first_step_ig, .epsilon = 5e-3};
  scheme.stopping = {.max_sweeps = 100};
  return scheme;
}

Scheme sg(std::size_t batch) {
  Scheme scheme = ig(batch);
  scheme.name = "sg";
  scheme.batches.order = BatchOrder::stochastic;
  return scheme;
}

Scheme with_update(std::string_view name, UpdateRecipe update, std::size_t batch) {
  Scheme scheme = ig(batch);
  scheme.name = name;
  scheme.batches.partition = Partition::every_epoch;
  scheme.updates.hidden = std::move(update);
  scheme.step_size = {};
  return scheme;
}

Scheme blgn(std::size_t batch) {
  Scheme scheme;
  scheme.name = "blgn";
  scheme.batches = {.size = batch,
                    .partition = Partition::every_epoch,
                    .skip_short = true,
                    .grow_below = 0.5,
                    .precision = Precision::float32};
  scheme.selection = blocks_then_all();
  scheme.updates.hidden = gauss_newton();
  scheme.look_ahead.most_increase = 1;
  scheme.stopping = {.max_sweeps = 100};
  return scheme;
}

Scheme elm() {
  Scheme scheme;
  scheme.name = "elm";
  scheme.selection = output_layer_only();
  scheme.updates.hidden = least_squares();
  scheme.stopping = {.max_sweeps = 1};
  scheme.reporting.steps = true;
  return scheme;
}

Scheme two_block(std::size_t batch) {
  Scheme scheme = ig(batch);
  scheme.name = "two-block";
  scheme.batches.all_rows_first = true;
  scheme.selection = output_then_hidden();
  scheme.updates.output = least_squares();
  return scheme;
}

namespace {

// One minibatch and one layer, both drawn at random, for every step.
Scheme randomised(Scheme scheme, std::string_view name) {
  scheme.name = name;
  scheme.batches.order = BatchOrder::stochastic;
  scheme.selection = random_subset(1, LayerOrder::backward);
  return scheme;
}

Scheme mrbcd() {
  Scheme scheme = randomised(ig(), "mrbcd");
  scheme.updates.hidden = gradient_step({.normalise = false});
  scheme.step_size.first = 0.05;
  return scheme;
}

Scheme mrbcd_vr() {
  Scheme scheme = randomised(with_update("svrg", svrg()), "mrbcd-vr");
  scheme.batches.partition = Partition::fixed;
  return scheme;
}

Scheme saga_on_fixed_batches() {
  Scheme scheme = with_update("saga", saga());
  scheme.batches.partition = Partition::fixed;  // the table belongs to one partition
  scheme.batches.order = BatchOrder::without_replacement;
  return scheme;
}

// For a network of any number of layers.
template <auto make, std::size_t... batch>
Scheme any(std::size_t /*layers*/) {
  return make(batch...);
}
template <class Options>
Scheme stepping(std::size_t /*layers*/) {
  return with_update(Options::kind, Options{});
}
Scheme bling_for(std::size_t layers) { return bling(layers); }

// Updates that are methods by themselves.
template <class... Options>
void append_own_methods(std::vector<MethodInfo>& rows, const std::variant<Options...>& /*recipe*/) {
  const auto append = [&rows]<class One>(std::type_identity<One>) {
    if constexpr (requires { One::method; })
      rows.push_back(
          {One::kind, One::method.summary, One::method.source, stepping<One>, One::method.options});
  };
  (append(std::type_identity<Options>()), ...);
}

std::vector<MethodInfo> all_methods() {
  std::vector<MethodInfo> rows{
      {"b2ld", "backward block layer decomposition, L-BFGS per layer", "Palagi & Seccia 2020, Algorithm 3",
       any<b2ld>,
       "tolerance selection updates.hidden gradient-every-sweep gradient-every-visit all-rows-precision"},
      {"bld", "block layer decomposition, exact output layer, every part open",
       "Palagi & Seccia 2020, Algorithm 2", any<bld>,
       "selection updates.hidden gradient-every-visit all-rows-precision"},
      {"neuron-wise", "output layer exact, hidden neurons one after the other, L-BFGS for each",
       "Grippo, Manno & Sciandrone 2016", any<neuron_wise>, "selection updates.hidden all-rows-precision"},
      {"rbf-decomposition",
       "output layer exact, centres one after the other, line searches along the gradient",
       "Buzzi, Grippo & Sciandrone 2001", any<rbf_decomposition>,
       "selection updates.hidden all-rows-precision", true},
      {"lbfgs", "L-BFGS on all weights", "Liu & Nocedal 1989", any<whole_lbfgs>,
       "updates.hidden gradient-every-visit all-rows-precision"},
      {"blgn", "block layer Gauss-Newton on growing batches", "this library; docs/mathematics.md",
       any<blgn, large_batch>, "batches selection updates.hidden look_ahead"},
      {"bling", "block layer incremental gradient", "Palagi & Seccia 2020, Algorithm 5", bling_for,
       "batch precision step_size order updates.hidden"},
      {"ig", "incremental gradient, all layers at once", "Bertsekas 1996", any<ig, small_batch>,
       "batch precision step_size updates.hidden"},
      {"sg", "stochastic gradient, minibatches drawn at random", "Robbins & Monro 1951", any<sg, small_batch>,
       "batch precision step_size updates.hidden"},
  };
  append_own_methods(rows, UpdateRecipe());
  const std::vector<MethodInfo> others{
      {"saga", "variance reduction by a table of minibatch gradients", "Defazio, Bach & Lacoste-Julien 2014",
       any<saga_on_fixed_batches>, "batch precision updates.hidden"},
      {"mrbcd", "gradient steps of a random layer on a random minibatch", "Wang & Banerjee 2014", any<mrbcd>,
       "batch precision step_size selection"},
      {"mrbcd-vr", "the same with variance reduction by full gradients", "Zhao et al. 2014", any<mrbcd_vr>,
       "batch precision selection updates.hidden"},
      {"elm", "random hidden layers, exact output layer", "Huang, Zhu & Siew 2006", any<elm>,
       "all-rows-precision"},
      {"two-block", "output layer exact on all rows, hidden layers incremental", "Bravi & Sciandrone 2014",
       any<two_block, small_batch>, "batch precision step_size"},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> rows = all_methods();
  return rows;
}

const MethodInfo& method(std::string_view name) {
  std::string known;
  for (const MethodInfo& row : methods()) {
    if (row.name == name) return row;
    append_item(known, ", ", row.name);
  }
  throw InvalidOption("method", name, "use one of " + known);
}

}  // namespace strata
