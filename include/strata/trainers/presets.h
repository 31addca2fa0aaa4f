#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "strata/trainers/scheme.h"

namespace strata {

// Methods with their usual settings. Each returns a scheme whose parts can then be exchanged or changed one by one.

inline constexpr std::size_t small_batch = 32;
inline constexpr std::size_t large_batch = 1024;

Scheme b2ld();  // Palagi & Seccia, Algorithm 3
Scheme bld();   // Algorithm 2 with L-BFGS for hidden layers and exact least squares for the output layer
Scheme neuron_wise();        // output layer exact, hidden neurons in groups (Grippo, Manno & Sciandrone 2016)
Scheme rbf_decomposition();  // the same with line searches, for centres (Buzzi, Grippo & Sciandrone 2001)
Scheme whole_lbfgs();        // L-BFGS on all weights, the stopping rules of b2ld

// Algorithm 5: backward over the layers with the same minibatch.
Scheme bling(std::size_t layers, std::size_t batch = small_batch);
Scheme ig(std::size_t batch = small_batch);    // incremental gradient: one step on all layers
Scheme sg(std::size_t batch = small_batch);    // the same with minibatches drawn at random
Scheme blgn(std::size_t batch = large_batch);  // block layer Gauss-Newton on growing batches
Scheme elm();                                  // random hidden layers, exact output layer (Huang et al. 2006)

// Output layer exact on all rows, hidden layers incremental (Bravi 2014).
Scheme two_block(std::size_t batch = small_batch);

// An update of the whole network, with minibatches that are drawn anew in every epoch.
Scheme with_update(std::string_view name, UpdateRecipe update, std::size_t batch = small_batch);

// A method by name: one row of a table.
struct MethodInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  Scheme (*make)(std::size_t layers);
  std::string_view options;  // that users may set, with blanks between: one by its name, or all of a part
  bool radial = false;       // made for networks with a radial layer
};
const std::vector<MethodInfo>& methods();
inline constexpr std::string_view default_method = "blgn";

const MethodInfo& method(std::string_view name);  // throws InvalidOption, with the names there are

// The method for a network of that many layers.
inline Scheme preset(std::string_view name, std::size_t layers) { return method(name).make(layers); }

}  // namespace strata
