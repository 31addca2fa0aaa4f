#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "network/dense_layer.h"
#include "network/layer_pass.h"
#include "objective/evaluator.h"
#include "objective/rounding.h"
#include "strata/core/vector.h"
#include "strata/objective/loss.h"
#include "strata/parallel/engine.h"
#include "strata/parallel/shard_sums.h"

namespace strata {

// Forward, loss, backward and weight gradient of one panel after the other, each panel from beginning to end while it is
// in cache. Panels belong to at most `shards` shards, shards to processes, and the shards' sums are combined in a fixed
// tree, so that the bits depend neither on the number of threads nor on that of processes.
// T, double or float, is what activations and deltas are; losses, and sums over panels, are double in any case.
template <class T>
class PanelEvaluator final : public Evaluator {
 public:
  PanelEvaluator(const Network& network, const PackedRows& rows, const ObjectiveOptions& options);

  void select(const PackedRows& rows, Rows batch) override;
  void reselect(Rows batch) override { select(*rows_, batch); }
  [[nodiscard]] const Rows& selected() const override { return batch_; }
  [[nodiscard]] const Work& work() const override { return work_; }
  void prepare_input_of(std::size_t layer) override;
  void prepare_part(Block block) override;
  void invalidate_from(std::size_t layer) override {
    valid_layers_ = std::min(valid_layers_, layer);
    trial_.clear();
  }
  void commit(Block block, std::span<const double> weights) override;
  [[nodiscard]] std::size_t valid_layers() const override { return valid_layers_; }
  double mean_loss(Block block, std::span<const double> trial, std::span<double> gradient) override;
  double try_weights(Block block, std::span<const double> trial) override;
  double output_moments(std::span<double> sums) override;
  double linearise(Block block, std::span<const double> weights, std::span<double> sums) override;
  void gauss_newton_times(Block block, std::span<const double> v, std::span<double> hv) override;

 private:
  using Values = VectorOf<T>;
  using Panel = MatrixView<T>;
  using ConstPanel = MatrixView<const T>;

  struct Workspace {  // of one thread
    std::vector<Values>
        z;  // z[l]: output of hidden layer l, with the constant row where the next layer wants it
    std::vector<Values> slope;  // stored derivatives, where the activation needs them
    Values out;
    Values delta;
    Values next_delta;
    Values masked;         // a factor of Z'Z or S'S: weighted, its padding set to zero
    Values row;            // one number per sample
    Values changes;        // J v: a row for each output
    Values sensitivities;  // of one panel, where those of all panels are not kept
    Values tangent;        // of a layer, or a combination of sensitivities
    Vector packed;         // inputs of a panel that are not kept as doubles
    struct {
      Vector out, delta, in, masked, row, curvature;
    } wide;  // the same for what is computed in double precision
  };
  using Activations = std::vector<Values>;  // of each hidden layer: panel after panel

  // The weights in force: those of the network, except inside the block.
  struct Weights {
    Block block = {};
    std::span<const ConstPanel> layers = {};  // as passes read them; empty: none is needed
    [[nodiscard]] ConstPanel layer(std::size_t l) const { return layers.empty() ? ConstPanel() : layers[l]; }
  };
  // What a pass starts with: these weights, and the rows, in T.
  [[nodiscard]] Weights in_force(Block block, std::span<const double> trial);
  [[nodiscard]] Weights network_weights() { return in_force(network_.whole(), network_.weights()); }

  void allocate();
  // True where the engine has the memory for the activations of all layers; decided once for a selection of rows.
  [[nodiscard]] bool use_cache();
  [[nodiscard]] std::size_t cache_bytes() const;
  void allocate_cache(Activations& activations) const;
  [[nodiscard]] Panel stored(Activations& activations, std::size_t layer, std::size_t panel) const;
  [[nodiscard]] std::size_t columns(std::size_t panel) const;
  void round_inputs();
  [[nodiscard]] ConstPanel input_of(std::size_t layer, std::size_t open, std::size_t panel, Workspace& space,
                                    Activations* kept = nullptr);
  [[nodiscard]] Panel output_of(std::size_t layer, std::size_t panel, Workspace& space, Activations* kept);
  // The same with its activation and slopes; of the last layer, which is linear, nothing is needed.
  [[nodiscard]] LayerOutput<T> given_by(std::size_t layer, std::size_t panel, Workspace& space,
                                        Activations* kept);
  [[nodiscard]] SampleWeights sample_weights(std::size_t panel) const {
    return {rows_->samples(panel), rows_->weights(panel)};
  }
  void run_layer(const Weights& weights, std::size_t layer, std::size_t panel, ConstPanel in, T* out,
                 Workspace& space) const;
  // A block's sums over rows, from what passes read to its weights.
  void to_weights(Block block, std::span<double> gradient) const;
  [[nodiscard]] std::size_t forward_start(std::size_t open) const { return caching_ ? open : 0; }
  // From layer `from` on; hidden activations go to `kept`, or stay in the workspace.
  void forward(const Weights& weights, std::size_t from, std::size_t panel, Workspace& space,
               Activations* kept = nullptr);
  // The loss of `out`, summed over the panel's samples; panel_delta also fills delta, scaled, in both precisions.
  double panel_loss(std::size_t panel, Workspace& space);
  double panel_delta(std::size_t panel, Workspace& space, double scale);
  double loss_of(Block block, std::span<const double> trial, Activations* kept);
  void backward(const Weights& weights, std::size_t panel, Workspace& space, double* gradient,
                Activations* kept = nullptr);
  // A part of a layer: some neurons of a hidden one.
  [[nodiscard]] ConstPanel as_read(Block part, std::span<const double> weights);
  double loss_of_part(Block part, std::span<const double> trial, std::span<double> gradient);
  void forward_part(const Weights& weights, Block part, ConstPanel own, std::size_t panel, Workspace& space);
  void backward_part(const Weights& weights, Block part, ConstPanel own, std::size_t panel, Workspace& space,
                     double* gradient);
  void commit_part(Block part, std::span<const double> weights);
  [[nodiscard]] Panel sums_after(std::size_t layer, std::size_t panel, Workspace& space);
  void fill_sums_after(const Weights& weights, std::size_t layer, std::size_t panel, Workspace& space);
  // What passes of a part leave in a workspace: its outputs and slopes.
  [[nodiscard]] Panel tried_neurons(Block part, std::size_t panel, Workspace& space) const {
    return {space.masked.data(), part.neurons, columns(panel), stride_};
  }
  [[nodiscard]] Panel tried_slopes(Block part, std::size_t panel, Workspace& space) const {
    return {space.slope[part.first].data(), part.neurons, columns(panel), stride_};
  }
  // Rows through a part count as its share of them through the layer.
  [[nodiscard]] std::size_t share_of(Block part) const {
    const std::size_t width = architecture_.width(part.first);
    return (batch_.rows * part.neurons + width - 1) / width;
  }
  // From `delta` of the outputs down to the block's first layer: visit(layer, delta) for each of its layers.
  template <class Visit>
  void back_through_layers(const Weights& weights, std::size_t panel, Workspace& space, Activations* kept,
                           const Visit& visit);

  // Calls body(panel, worker, partial) for every selected panel of this process; `partial` has sums.size() entries, zero at first, and
  // belongs to the panel's shard. The sums over all shards end up in `sums`, the returned values are added the same way.
  template <class Body>
  double over_panels(std::span<double> sums, const Body& body);
  template <class Body>
  double over_shard(std::size_t shard, Workspace& space, double* partial, const Body& body);

  // Gauss-Newton in two ways. A product by sensitivities costs two products with the layers of the block, whatever their
  // depth, but each output has its own S. A product by passes, a tangent forward and one backward, costs the same for
  // any number of outputs. The output layer by itself has no layers to pass.
  static constexpr std::size_t many_outputs = 5;  // measured: see docs/mathematics.md
  [[nodiscard]] bool by_passes(Block block) const {
    return architecture_.outputs >= many_outputs || block.first + 1 == network_.layers();
  }
  void linearise_by_sensitivities(const Weights& weights, std::size_t panel, Workspace& space,
                                  double* partial);
  void linearise_by_passes(const Weights& weights, std::size_t panel, Workspace& space, double* partial);
  void times_by_sensitivities(Block block, std::span<const double> v, std::span<double> hv);
  void times_by_passes(Block block, std::span<const double> v, std::span<double> hv);

  // What products need of every row, S and the loss's curvature, or of one panel at a time where the engine has no
  // memory for all.
  void allocate_model(Block block);
  [[nodiscard]] Panel sensitivity(std::size_t layer, std::size_t output, std::size_t panel, Workspace& space);
  [[nodiscard]] Panel rooted(std::size_t layer, std::size_t m, std::size_t panel, Workspace& space);
  void propagate_sensitivity(const Weights& weights, std::size_t output, std::size_t panel, Workspace& space);
  [[nodiscard]] std::size_t first_to_linearise(std::size_t open) const;
  [[nodiscard]] Activations* cache() { return caching_ ? &cache_ : nullptr; }
  void recompute_input(const Weights& weights, std::size_t layer, std::size_t panel, Workspace& space);

  // The loss's curvature at the outputs of the last linearise, for each panel.
  [[nodiscard]] Matrix curvature(std::size_t panel, Workspace& space);
  void keep_curvature(std::size_t panel, Workspace& space);
  // u <- (weight of the row / rows) H u for the first samples of an outputs x samples panel, zero in the padding.
  void curvature_times(std::size_t panel, Workspace& space, Panel u);
  // Column `probe` of the curvature's root, or a random combination of its columns, into the double-precision delta.
  void fill_probe(std::size_t panel, Workspace& space, std::size_t probe);
  [[nodiscard]] std::size_t probes() const;
  void add_weighted_gram(std::size_t panel, Workspace& space, double* sums);
  void pass_tangent(Block block, std::size_t panel, Workspace& space, Activations* kept);

  const Network& network_;
  const Architecture& architecture_;
  const PackedRows* rows_;
  Rows batch_;
  const Loss& loss_;
  const Kernels<T>& kernels_;
  LayerPasses<T> layers_;
  const DenseLayer<double> exact_output_;  // the output layer, for its exact moments
  Communicator& processes_;
  ThreadPool& pool_;
  ShardShares shares_;           // of the batch
  std::size_t first_panel_ = 0;  // of this process in it
  std::size_t panels_ = 0;       // how many
  std::size_t most_panels_ = 0;  // that one process has: all reserve as much, and so decide alike

  bool caching_ = false;
  bool cache_is_decided_ = false;
  std::size_t valid_layers_ = 0;  // outputs of layers 0 .. valid_layers_-1 are in the cache
  std::size_t stride_ = 0;
  // Where T is not double: weights of the network, of a trial, a direction of a Gauss-Newton product, rows of the batch.
  Values rounded_;
  Values rounded_trial_;
  Values direction_;
  Values inputs_;
  bool inputs_are_rounded_ = false;
  Activations cache_;  // at the network's weights
  Activations tried_;  // at those of `trial_`, from its first layer on
  Vector trial_;       // of trial_block_; empty: none
  Block trial_block_;
  Values sums_after_;  // what enters the activation of the layer after the open part: panel after panel
  bool sums_are_kept_ = false;
  Values rounded_part_, part_table_;  // weights of a part, where passes read another form
  std::vector<Workspace> spaces_;
  Block linearised_;
  Vector linearised_at_;  // its weights
  bool model_is_kept_ = false;
  Values sensitivities_;  // of each layer linearised: panel after panel, output after output, N_out x samples
  Vector curvatures_;     // panel after panel: what the loss keeps of each sample
  MemoryShare cache_memory_, tried_memory_, model_memory_, input_memory_, look_up_memory_, sums_memory_;
  std::vector<Values> tables_, direction_tables_;  // weights and directions, where passes read another form
  std::vector<ConstPanel> weights_, directions_;
  std::vector<Values> across_tables_;  // V of the block's layers, for tangents
  std::vector<Values> onward_tables_;  // W of the layers after its first, without biases
  std::vector<ConstPanel> across_, onward_;
  ShardSums partial_;
  Work work_;
};

template <class T>
template <class Visit>
void PanelEvaluator<T>::back_through_layers(const Weights& weights, std::size_t panel, Workspace& space,
                                            Activations* kept, const Visit& visit) {
  const Block block = weights.block;
  const std::size_t n = columns(panel);
  for (std::size_t l = network_.layers(); l-- > block.first;) {
    const ConstPanel delta(space.delta.data(), architecture_.width(l), n, stride_);
    if (l <= block.last) visit(l, delta);
    if (l == block.first) break;
    layers_[l]->backward(weights.layer(l), delta, given_by(l - 1, panel, space, kept),
                         {space.next_delta.data(), architecture_.width(l - 1), n, stride_});
    std::swap(space.delta, space.next_delta);
  }
}

template <class T>
template <class Body>
double PanelEvaluator<T>::over_shard(std::size_t shard, Workspace& space, double* partial, const Body& body) {
  double value = 0;
  const std::size_t end = rows_->shard_end(batch_, shard);
  for (std::size_t p = rows_->shard_begin(batch_, shard); p < end; ++p) value += body(p, space, partial);
  return value;
}

template <class T>
template <class Body>
double PanelEvaluator<T>::over_panels(std::span<double> sums, const Body& body) {
  std::fill(sums.begin(), sums.end(), 0.0);
  if (shares_.shards == 1 && processes_.alone())  // needs no second buffer
    return over_shard(0, spaces_[0], sums.data(), body);
  const std::size_t first = shares_.begin(processes_.rank());
  partial_.start(shares_, processes_.rank(), sums.size() + 1);  // the value goes with the sums
  pool_.run(shares_.count(processes_.rank()), [&](std::size_t task, std::size_t worker) {
    double* partial = partial_.cleared(first + task);
    partial[sums.size()] = over_shard(first + task, spaces_[worker], partial, body);
  });
  const std::span<const double> total = partial_.total(processes_, pool_);
  std::copy_n(total.begin(), sums.size(), sums.begin());
  return total.back();
}

}  // namespace strata
