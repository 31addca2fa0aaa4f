#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "strata/trainers/scheme.h"

namespace strata {

// Methods by name, with their usual settings. Each returns a scheme whose parts can then be exchanged one by one.

struct B2ldOptions {      // readings of the paper that its text leaves open; docs/reproduce-the-paper.md
  double epsilon = 1e-5;  // first block tolerance
  double delta = 0.5;     // its factor from sweep to sweep
  int iterations = 30;    // L-BFGS iterations per visit
  bool gradient_when_idle = true;  // test ||grad f|| <= 1e-3 only after a sweep that skipped every layer
};
Scheme b2ld(const B2ldOptions& options = {});  // Palagi & Seccia, Algorithm 3
Scheme bld();  // Algorithm 2 with L-BFGS for hidden layers and exact least squares for the output layer

struct WholeLbfgsOptions {
  int iterations = 30;      // in a round; the relative decrease is tested from round to round
  std::size_t memory = 10;  // pairs kept
};
Scheme whole_lbfgs(const WholeLbfgsOptions& options = {});  // L-BFGS on all weights, the same stopping rules

Scheme bling(std::size_t layers,
             std::size_t batch = 32);  // Algorithm 5: backward over the layers, same minibatch
Scheme ig(std::size_t batch = 32);     // incremental gradient: one step on all layers
Scheme sg(std::size_t batch = 32);     // the same with minibatches drawn at random
Scheme with_update(std::string_view name, UpdateRecipe update,
                   std::size_t batch);  // whole network, shuffled batches
Scheme blgn(std::size_t batch = 1024);  // block layer Gauss-Newton on growing batches
Scheme elm();                           // random hidden layers, exact output layer (Huang et al. 2006)
Scheme two_block(
    std::size_t batch = 32);  // output layer exact on all rows, hidden layers incremental (Bravi 2014)

struct MethodInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
};
const std::vector<MethodInfo>& methods();
inline constexpr std::string_view default_method = "blgn";

// A preset by its name, for a network of that many layers; throws InvalidOption for unknown names.
Scheme preset(std::string_view name, std::size_t layers);

}  // namespace strata
