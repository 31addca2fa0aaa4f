#include "strata/trainers/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "strata/core/errors.h"
#include "trainers/saved_parts.h"

namespace strata {

namespace {

// A selection without state: what lists the blocks of a view.
template <class List>
std::unique_ptr<Selection> stateless(List list) {
  class Listed final : public Selection {
   public:
    explicit Listed(List l) : list_(std::move(l)) {}
    void choose(const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) override {
      blocks.clear();
      list_(view, random, blocks);
    }

   private:
    List list_;
  };
  return std::make_unique<Listed>(std::move(list));
}

void arrange(std::vector<Block>& ascending, LayerOrder order, RandomStream& random) {
  if (order == LayerOrder::backward) std::reverse(ascending.begin(), ascending.end());
  if (order == LayerOrder::random) random.shuffle(std::span(ascending));
}

void refuse_layer_beyond(std::size_t layer, std::size_t layers) {
  if (layer >= layers)
    throw InvalidOption("selection", std::to_string(layer),
                        "layers count from 0 to " + std::to_string(layers - 1) + " in this network");
}

class LayersInTurn final : public Selection {
 public:
  explicit LayersInTurn(LayerOrder order) : order_(order) {}
  void choose(const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) override {
    if (pending_.empty()) {
      for (std::size_t l = 0; l < view.layers; ++l) pending_.push_back({l, l});
      arrange(pending_, order_, random);
      std::reverse(pending_.begin(), pending_.end());  // taken from the back
    }
    refuse_layer_beyond(pending_.back().last, view.layers);
    blocks.assign(1, pending_.back());
    pending_.pop_back();
  }
  void save(State& state) const override { put_blocks(state, "pending", pending_); }
  void restore(const State& state) override { get_blocks(state, "pending", pending_); }

 private:
  LayerOrder order_;
  std::vector<Block> pending_;
};

class LargestOrLongestWaiting final : public Selection {
 public:
  explicit LargestOrLongestWaiting(std::size_t bound) : bound_(bound) {}

  void choose(const SelectionView& view, RandomStream& /*random*/, std::vector<Block>& blocks) override {
    const std::size_t bound = bound_ > 0 ? bound_ : 2 * view.layers;
    if (bound < view.layers)
      throw InvalidOption("selection.bound", std::to_string(bound),
                          "one layer a sweep cannot visit all " + std::to_string(view.layers) +
                              " layers within so few sweeps");
    waiting_.resize(view.layers, 0);
    auto layer =
        static_cast<std::size_t>(std::max_element(waiting_.begin(), waiting_.end()) - waiting_.begin());
    if (!must_visit_the_longest_waiting(bound)) {
      const Vector& norms = view.gradient_norms();
      layer = static_cast<std::size_t>(std::max_element(norms.begin(), norms.end()) - norms.begin());
    }
    for (std::size_t& wait : waiting_) ++wait;
    waiting_[layer] = 0;
    blocks.assign(1, {layer, layer});
  }
  void save(State& state) const override { state.put("waiting", waiting_); }
  void restore(const State& state) override { state.get("waiting", waiting_); }

 private:
  // Layers that have waited equally long cannot all be visited in the last sweep that is left: if k layers have waited
  // at least w sweeps, the last of them has its turn k sweeps from now.
  [[nodiscard]] bool must_visit_the_longest_waiting(std::size_t bound) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](std::size_t wait) {
      const auto queue =
          std::count_if(waiting_.begin(), waiting_.end(), [wait](auto w) { return w >= wait; });
      return wait + static_cast<std::size_t>(queue) >= bound;
    });
  }

  std::size_t bound_;
  std::vector<std::size_t> waiting_;  // sweeps since the last visit
};

std::unique_ptr<Selection> make(const EveryLayer& options) {
  return stateless([options](const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) {
    for (std::size_t l = 0; l < view.layers; ++l)
      blocks.push_back({l, options.with_later ? view.layers - 1 : l});
    arrange(blocks, options.order, random);
  });
}

class BlocksAndAll final : public Selection {
 public:
  explicit BlocksAndAll(const BlocksThenAll& options) : options_(options) {}

  void choose(const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) override {
    const std::size_t output = view.layers - 1;
    blocks.assign(1, {output, output});
    for (std::size_t end = output; end > 0;) {
      const std::size_t first = end - std::min(end, options_.hidden_layers);
      blocks.push_back({first, end - 1});
      end = first;
    }
    std::reverse(blocks.begin(), blocks.end());
    arrange(blocks, options_.order, random);
    layers_ = view.layers;
    gain_ = cost_ = 0;
    const bool rows_enough =
        static_cast<double>(view.rows) >= options_.rows_per_weight * static_cast<double>(view.weights);
    if (!rows_enough || view.long_epoch || blocks.size() == 1) return;
    if (left_out_ < pause_) {
      ++left_out_;
      return;
    }
    if (view.whole_data && options_.alone_on_all_rows && was_worth_it_) blocks.clear();
    blocks.push_back({0, output});
  }

  void visited(const StepRecord& step) override {
    const double gain = step.before - step.after;
    const double cost = cost_of(step);
    if (step.block != Block{0, layers_ - 1}) {
      gain_ += gain;
      cost_ += cost;
      return;
    }
    left_out_ = 0;
    was_worth_it_ = gain > 0 && gain * cost_ >= gain_ * cost;
    pause_ = was_worth_it_ ? 0 : std::max<std::size_t>(1, 2 * pause_);
  }

  void save(State& state) const override {
    state.put("pause", pause_);
    state.put("was_worth_it", was_worth_it_);
    state.put("left_out", left_out_);
    state.put("layers", layers_);
    state.put("gain", gain_);
    state.put("cost", cost_);
  }
  void restore(const State& state) override {
    state.get("pause", pause_);
    state.get("was_worth_it", was_worth_it_);
    state.get("left_out", left_out_);
    state.get("layers", layers_);
    state.get("gain", gain_);
    state.get("cost", cost_);
  }

 private:
  // In passes over the block's first layer and all after it: those of an iteration and, as many as six of them, those of the set-up. Not
  // what was counted: that depends on what fits into the memory.
  [[nodiscard]] double cost_of(const StepRecord& step) const {
    return static_cast<double>((6 + static_cast<std::size_t>(step.iterations)) *
                               (layers_ - step.block.first));
  }

  BlocksThenAll options_;
  bool was_worth_it_ = false;  // the last visit of all layers
  std::size_t pause_ = 0;      // batches without a visit of all layers, after the last of these
  std::size_t left_out_ = 0;   // so far
  std::size_t layers_ = 0;
  double gain_ = 0;  // of the blocks of the batch, up to now
  double cost_ = 0;
};

std::unique_ptr<Selection> make(const BlocksThenAll& options) {
  return std::make_unique<BlocksAndAll>(options);
}

std::unique_ptr<Selection> make(const NeuronGroups& options) {
  return stateless([options](const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) {
    for (std::size_t l = 0; l < view.hidden.size(); ++l)
      for (std::size_t first = 0; first < view.hidden[l]; first += options.group)
        blocks.push_back({l, l, first, std::min(options.group, view.hidden[l] - first)});
    blocks.push_back({view.layers - 1, view.layers - 1});
    arrange(blocks, options.order, random);
  });
}

std::unique_ptr<Selection> make(const WholeNetwork& /*options*/) {
  return stateless([](const SelectionView& view, RandomStream&, std::vector<Block>& blocks) {
    blocks.push_back({0, view.layers - 1});
  });
}

std::unique_ptr<Selection> make(const GivenOrder& options) {
  for (const Block& block : options.blocks)
    if (block.first > block.last)
      throw InvalidOption("given_order.blocks", text_of({}, block),
                          "a block's first layer comes before its last");
  return stateless(
      [order = options.blocks](const SelectionView& view, RandomStream&, std::vector<Block>& visits) {
        for (const Block& block : order) refuse_layer_beyond(block.last, view.layers);
        visits = order;
      });
}

std::unique_ptr<Selection> make(const FixedSubset& options) {
  std::vector<std::size_t> ascending = options.layers;
  std::sort(ascending.begin(), ascending.end());
  return stateless([ascending, order = options.order](const SelectionView& view, RandomStream& random,
                                                      std::vector<Block>& blocks) {
    for (const std::size_t l : ascending) {
      refuse_layer_beyond(l, view.layers);
      blocks.push_back({l, l});
    }
    arrange(blocks, order, random);
  });
}

std::unique_ptr<Selection> make(const RandomSubset& options) {
  return stateless([options](const SelectionView& view, RandomStream& random, std::vector<Block>& blocks) {
    for (std::size_t l = 0; l < view.layers; ++l) blocks.push_back({l, l});
    random.shuffle(std::span(blocks));
    blocks.resize(std::min(options.count, view.layers));
    std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.first < b.first; });
    arrange(blocks, options.order, random);
  });
}

std::unique_ptr<Selection> make(const OneLayerPerBatch& options) {
  return std::make_unique<LayersInTurn>(options.order);
}

std::unique_ptr<Selection> make(const LargestGradient& options) {
  return std::make_unique<LargestOrLongestWaiting>(options.bound);
}

std::unique_ptr<Selection> make(const OutputLayerOnly& /*options*/) {
  return stateless([](const SelectionView& view, RandomStream&, std::vector<Block>& blocks) {
    blocks.push_back({view.layers - 1, view.layers - 1});
  });
}

std::unique_ptr<Selection> make(const OutputThenHidden& /*options*/) {
  return stateless([](const SelectionView& view, RandomStream&, std::vector<Block>& blocks) {
    if (view.whole_data)
      blocks.push_back({view.layers - 1, view.layers - 1});
    else if (view.layers > 1)
      blocks.push_back({0, view.layers - 2});
  });
}

std::unique_ptr<Selection> make(const CustomSelection& options) { return options.make(); }

}  // namespace

std::string text_of(const Field& /*field*/, const Block& block) {
  if (!block.is_part()) return fmt::format("{}-{}", block.first, block.last);
  return fmt::format("{}:{}-{}", block.first, block.neuron, block.neuron + block.neurons - 1);
}

std::unique_ptr<Selection> make_selection(const SelectionRecipe& recipe) {
  check(recipe);
  return std::visit([](const auto& kind) { return make(kind); }, recipe);
}

}  // namespace strata
