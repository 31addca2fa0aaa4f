#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strata/core/fields.h"
#include "strata/core/random.h"
#include "strata/core/state.h"
#include "strata/core/vector.h"
#include "strata/network/architecture.h"
#include "strata/trainers/records.h"

namespace strata {

// What a selection rule may look at.
struct SelectionView {
  std::size_t layers = 0;
  std::size_t batch = 0;    // index of the batch within the sweep
  bool whole_data = true;   // the batch holds all rows
  std::size_t rows = 0;     // of the batch
  std::size_t weights = 0;  // of the network
  bool long_epoch = false;  // of a table so large that batches grow inside an epoch
  // Norms of the gradient of each layer on the current batch; costs a full evaluation, which is counted.
  std::function<const Vector&()> gradient_norms;
  std::span<const std::size_t> hidden = {};  // widths of the hidden layers
};

// Which blocks are updated with a batch, in which order: the working set. One object per run, it may keep state.
class Selection {
 public:
  virtual ~Selection() = default;
  virtual void choose(const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) = 0;
  // What came of the visit of a chosen block.
  virtual void visited(const StepRecord& /*step*/) {}

  virtual void save(State& /*state*/) const {}
  virtual void restore(const State& /*state*/) {}
};

enum class LayerOrder { backward, forward, random };
constexpr auto names_of(LayerOrder) {
  return std::to_array<std::string_view>({"backward", "forward", "random"});
}

struct EveryLayer {  // all layers, one block each; random: without replacement
  LayerOrder order = LayerOrder::backward;
  bool with_later = false;  // backward: {L..L}, {L-1..L}, ..., {1..L}

  static constexpr std::string_view kind = "every_layer";
  void fields(auto& list) {
    list("order", order, "order in which the layers are visited", "order");
    list("with_later", with_later, "visit a layer together with all layers after it", "with-later-layers");
  }
};

// The output layer by itself; the hidden layers in blocks of neighbours, counted from the last one; then all layers as one
// block, where the batch has rows enough and no longer grows inside an epoch. Layers that depend on each other much improve only in zigzag when they move one
// at a time, but a model of many weights needs rows to tell them apart. After a visit of all layers that gained less for its cost than
// the blocks before it did, the next one comes later: one batch is left out, then two, four and so on, until a visit is worth its cost again. On all rows, such
// visits take the place of those of the layers as soon as one was worth its cost, until one is not.
struct BlocksThenAll {
  LayerOrder order = LayerOrder::backward;
  std::size_t hidden_layers = 1;
  double rows_per_weight = 4;
  bool alone_on_all_rows = true;

  static constexpr std::string_view kind = "blocks_then_all";
  void fields(auto& list) {
    list("order", order, "order in which the layers are visited", "order");
    list("hidden_layers", hidden_layers, at_least(1), "neighbouring hidden layers in a block",
         "block-layers");
    list("rows_per_weight", rows_per_weight, not_negative.off_at(infinity),
         "rows in the batch for every weight from which on all layers are also visited together",
         "joint-rows");
    list("alone_on_all_rows", alone_on_all_rows,
         "on all rows, visit all layers together and none by itself as long as that is worth its cost; not "
         "in a fit with validation rows",
         "joint-alone");
  }
};

// The output layer by itself, and the neurons of every hidden layer in groups of neighbours, a block each.
struct NeuronGroups {
  std::size_t group = 1;
  LayerOrder order = LayerOrder::backward;

  static constexpr std::string_view kind = "neuron_groups";
  void fields(auto& list) {
    list("group", group, at_least(1), "neurons of a hidden layer in a block", "group");
    list("order", order, "order in which the blocks are visited", "order");
  }
};

struct WholeNetwork {  // one block
  static constexpr std::string_view kind = "whole_network";
};

struct GivenOrder {  // the user's
  std::vector<Block> blocks;

  static constexpr std::string_view kind = "given_order";
  void fields(auto& list) {
    list("blocks", blocks, "blocks of layers, first and last of each, in the order of their visits");
  }
};

struct FixedSubset {  // some layers only
  std::vector<std::size_t> layers;
  LayerOrder order = LayerOrder::backward;

  static constexpr std::string_view kind = "fixed_subset";
  void fields(auto& list) {
    list("layers", layers, "the layers that are visited");
    list("order", order, "order in which they are visited");
  }
};

struct RandomSubset {  // drawn anew for every batch
  std::size_t count = 1;
  LayerOrder order = LayerOrder::backward;

  static constexpr std::string_view kind = "random_subset";
  void fields(auto& list) {
    list("count", count, at_least(1), "layers drawn for a minibatch, at most all", "layers");
    list("order", order, "order in which they are visited");
  }
};

struct OneLayerPerBatch {  // the next layer with the next batch
  LayerOrder order = LayerOrder::backward;

  static constexpr std::string_view kind = "one_layer_per_batch";
  void fields(auto& list) { list("order", order, "order in which the layers are visited"); }
};

// The layer with the largest gradient norm, one a sweep; but layers that have waited come first in time for every
// layer to be visited in any `bound` sweeps, as convergence requires.
struct LargestGradient {
  std::size_t bound = 0;

  static constexpr std::string_view kind = "largest_gradient";
  void fields(auto& list) {
    list("bound", bound, at_least(1).off_at(0),
         "sweeps in which every layer is visited; off: twice the number of layers");
  }
};

struct OutputLayerOnly {
  static constexpr std::string_view kind = "output_layer_only";
};

struct OutputThenHidden {  // output layer on all rows, all hidden layers as one block on minibatches
  static constexpr std::string_view kind = "output_then_hidden";
};

// A selection of the user's own. A run that is continued compares its name.
struct CustomSelection {
  std::string name;
  std::function<std::unique_ptr<Selection>()> make;

  static constexpr std::string_view kind = "custom";
  void fields(auto& list) { list("name", name, "of the selection, in messages and checkpoints"); }
};

// A recipe is data: options that can be printed, compared and stored. Each run makes its own selection from it.
using SelectionRecipe =
    std::variant<EveryLayer, BlocksThenAll, NeuronGroups, WholeNetwork, GivenOrder, FixedSubset, RandomSubset,
                 OneLayerPerBatch, LargestGradient, OutputLayerOnly, OutputThenHidden, CustomSelection>;

// Refuses (InvalidOption) options out of bounds.
std::unique_ptr<Selection> make_selection(const SelectionRecipe& recipe);

inline SelectionRecipe every_layer(LayerOrder order) { return EveryLayer{order}; }
inline SelectionRecipe backward_sweep() { return EveryLayer{LayerOrder::backward}; }
inline SelectionRecipe forward_sweep() { return EveryLayer{LayerOrder::forward}; }
inline SelectionRecipe random_sweep() { return EveryLayer{LayerOrder::random}; }
inline SelectionRecipe blocks_then_all(const BlocksThenAll& options = {}) { return options; }
inline SelectionRecipe neuron_groups(const NeuronGroups& options = {}) { return options; }
inline SelectionRecipe whole_network() { return WholeNetwork{}; }
inline SelectionRecipe layer_and_all_after() { return EveryLayer{.with_later = true}; }
inline SelectionRecipe given_order(std::vector<Block> blocks) { return GivenOrder{std::move(blocks)}; }
inline SelectionRecipe fixed_subset(std::vector<std::size_t> layers, LayerOrder order) {
  return FixedSubset{std::move(layers), order};
}
inline SelectionRecipe random_subset(std::size_t count, LayerOrder order) {
  return RandomSubset{count, order};
}
inline SelectionRecipe one_layer_per_batch(LayerOrder order) { return OneLayerPerBatch{order}; }
inline SelectionRecipe largest_gradient(std::size_t bound = 0) { return LargestGradient{bound}; }
inline SelectionRecipe output_layer_only() { return OutputLayerOnly{}; }
inline SelectionRecipe output_then_hidden() { return OutputThenHidden{}; }

std::string text_of(const Field& field, const Block& block);  // "0-2"; neurons 3 and 4 of layer 0: "0:3-4"

}  // namespace strata
