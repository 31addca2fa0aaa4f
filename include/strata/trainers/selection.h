#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "strata/core/random.h"
#include "strata/core/state.h"
#include "strata/core/vector.h"
#include "strata/network/architecture.h"

namespace strata {

// What a selection rule may look at.
struct SelectionView {
  std::size_t layers = 0;
  std::size_t batch = 0;    // index of the batch within the sweep
  bool whole_data = true;   // the batch holds all rows
  std::size_t rows = 0;     // of the batch
  std::size_t weights = 0;  // of the network
  // Norms of the gradient of each layer on the current batch; costs a full evaluation, which is counted.
  std::function<const Vector&()> gradient_norms;
};

// Which blocks are updated with a batch, in which order: the working set. One object per run, it may keep state.
class Selection {
 public:
  virtual ~Selection() = default;
  virtual void choose(const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) = 0;

  virtual void save(State& /*state*/) const {}
  virtual void restore(const State& /*state*/) {}
};

// A recipe is constant; each run makes its own selection from it.
using SelectionRecipe = std::function<std::unique_ptr<Selection>()>;

enum class LayerOrder { backward, forward, random };

SelectionRecipe every_layer(LayerOrder order);  // all layers, one block each; random: without replacement
inline SelectionRecipe backward_sweep() { return every_layer(LayerOrder::backward); }
inline SelectionRecipe forward_sweep() { return every_layer(LayerOrder::forward); }
inline SelectionRecipe random_sweep() { return every_layer(LayerOrder::random); }

// The output layer by itself; the hidden layers in blocks of neighbours, counted from the last one; then all layers as one
// block, where the batch has rows enough. Layers that depend on each other much improve only in zigzag when they move one
// at a time, but a model of many weights needs rows to tell them apart.
struct BlocksThenAll {
  LayerOrder order = LayerOrder::backward;
  std::size_t hidden_layers = 1;  // in a block, >= 1
  double rows_per_weight = 4;  // in the batch, for every weight of the network, from which on all are visited
};
SelectionRecipe blocks_then_all(const BlocksThenAll& options = {});

SelectionRecipe whole_network();                         // one block
SelectionRecipe layer_and_all_after();                   // {L..L}, {L-1..L}, ..., {1..L}
SelectionRecipe given_order(std::vector<Block> blocks);  // the user's
SelectionRecipe fixed_subset(std::vector<std::size_t> layers, LayerOrder order);  // some layers only
SelectionRecipe random_subset(std::size_t count, LayerOrder order);  // drawn anew for every batch
SelectionRecipe one_layer_per_batch(LayerOrder order);               // the next layer with the next batch

// The layer with the largest gradient norm, one a sweep; but layers that have waited come first in time for every
// layer to be visited in any `bound` sweeps, as convergence requires. bound 0: twice the number of layers.
SelectionRecipe largest_gradient(std::size_t bound = 0);

SelectionRecipe output_layer_only();

// Output layer on all rows, all hidden layers as one block on minibatches.
SelectionRecipe output_then_hidden();

}  // namespace strata
