#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "strata/core/vector.h"
#include "strata/core/work.h"
#include "strata/network/network.h"
#include "strata/objective/loss.h"
#include "strata/objective/objective.h"
#include "strata/objective/packed_rows.h"
#include "strata/parallel/shard_sums.h"
#include "strata/parallel/thread_pool.h"

namespace strata {

// Passes over the data: forward, loss, backward and weight gradient of one panel after the other, each panel from
// beginning to end while it is in cache. Panels belong to at most `shards` shards, shards to processes, and the shards'
// sums are combined in a fixed tree, so that the bits depend neither on the number of threads nor on that of processes.
class Evaluator {
 public:
  Evaluator(const Network& network, const PackedRows& rows, const ObjectiveOptions& options);

  void select(const PackedRows& rows, Rows batch);
  void reselect(Rows batch) { select(*rows_, batch); }
  [[nodiscard]] const Rows& selected() const { return batch_; }
  [[nodiscard]] const Work& work() const { return work_; }

  // Makes the input of this layer available from the cache, where the cache is used.
  void prepare_input_of(std::size_t layer);
  // The outputs of this layer and of later ones no longer fit the weights.
  void invalidate_from(std::size_t layer) {
    valid_layers_ = std::min(valid_layers_, layer);
    trial_.clear();
  }
  // The network has these weights in the block now. Where they were the last to be tried with try_weights, their
  // activations are there already.
  void commit(Block block, std::span<const double> weights);

  [[nodiscard]] std::size_t valid_layers() const { return valid_layers_; }

  // All means and sums over rows are weighted where the rows have weights.
  // Mean loss with the block's weights replaced by `trial`; gradient of that mean unless `gradient` is empty.
  double mean_loss(Block block, std::span<const double> trial, std::span<double> gradient);
  // The same without gradient; keeps the activations beside those of the network's weights, in case of a commit.
  double try_weights(Block block, std::span<const double> trial);

  // With Z the input of the output layer and E = Z W - Y at the network's weights:
  // sums = [Z'Z (N x N), Z'E (N x outputs)] over the rows; returns the sum of squares of E.
  double output_moments(std::span<double> sums);

  // Gauss-Newton on a block at the network's weights: keeps S = d outputs / d a_l for every row and layer of the block,
  // and fills sums = [gradient of the mean loss, then for each layer Z'Z (N_in x N_in) and S'S summed over outputs
  // (N_out x N_out)]. Returns the mean loss.
  double linearise(Block block, std::span<double> sums);
  // hv = (2/rows) J'J v with the S of the last linearise: two products for each layer of the block.
  void gauss_newton_times(Block block, std::span<const double> v, std::span<double> hv);

 private:
  struct Workspace {  // of one thread
    std::vector<Vector>
        z;  // z[l]: output of hidden layer l, with the constant row where the next layer wants it
    std::vector<Vector> slope;  // stored derivatives, where the activation needs them
    Vector out;
    Vector delta;
    Vector next_delta;
    Vector masked;   // a factor of Z'Z or S'S: weighted, its padding set to zero
    Vector row;      // one number per sample
    Vector changes;  // J v: a row for each output
  };
  using Activations = std::vector<Vector>;  // of each hidden layer: panel after panel

  // The weights in force: those of the network, except inside the block.
  struct Weights {
    const Network* network;
    Block block;
    std::span<const double> trial;
    [[nodiscard]] ConstMatrix layer(std::size_t l) const;
  };

  void allocate();
  void allocate_cache(Activations& activations) const;
  [[nodiscard]] Matrix stored(Activations& activations, std::size_t layer, std::size_t panel) const;
  [[nodiscard]] std::size_t columns(std::size_t panel) const;
  [[nodiscard]] ConstMatrix input_of(std::size_t layer, std::size_t open, std::size_t panel, Workspace& space,
                                     Activations* kept = nullptr);
  [[nodiscard]] Matrix output_of(std::size_t layer, std::size_t panel, Workspace& space, Activations* kept);
  [[nodiscard]] std::size_t forward_start(std::size_t open) const { return caching_ ? open : 0; }
  // From layer `from` on; hidden activations go to `kept`, or stay in the workspace.
  void forward(const Weights& weights, std::size_t from, std::size_t panel, Workspace& space,
               Activations* kept = nullptr);
  double loss_of(Block block, std::span<const double> trial, Activations* kept);
  [[nodiscard]] ConstMatrix moment_factor(ConstMatrix values, std::size_t panel, Workspace& space);
  void backward(const Weights& weights, std::size_t panel, Workspace& space, double* gradient);

  // Calls body(panel, worker, partial) for every selected panel of this process; `partial` has sums.size() entries, zero at first, and
  // belongs to the panel's shard. The sums over all shards end up in `sums`, the returned values are added the same way.
  template <class Body>
  double over_panels(std::span<double> sums, const Body& body);
  template <class Body>
  double over_shard(std::size_t shard, Workspace& space, double* partial, const Body& body);

  [[nodiscard]] Matrix sensitivity(std::size_t layer, std::size_t output, std::size_t panel);
  void propagate_sensitivity(Block block, std::size_t output, std::size_t panel, Workspace& space);
  [[nodiscard]] std::size_t first_to_linearise(std::size_t open) const;
  [[nodiscard]] Activations* cache() { return caching_ ? &cache_ : nullptr; }
  void recompute_input(std::size_t layer, std::size_t panel, Workspace& space);

  const Network& network_;
  const Architecture& architecture_;
  const PackedRows* rows_;
  Rows batch_;
  const Loss& loss_;
  const Kernels& kernels_;
  Communicator& processes_;
  ThreadPool pool_;
  std::size_t cache_bytes_;
  ShardShares shares_;           // of the batch
  std::size_t first_panel_ = 0;  // of this process in it
  std::size_t panels_ = 0;       // how many

  bool caching_ = true;
  std::size_t valid_layers_ = 0;  // outputs of layers 0 .. valid_layers_-1 are in the cache
  std::size_t stride_ = 0;
  Activations cache_;  // at the network's weights
  Activations tried_;  // at those of `trial_`, from its first layer on
  Vector trial_;       // of trial_block_; empty: none
  Block trial_block_;
  std::vector<Workspace> spaces_;
  std::vector<Vector>
      sensitivities_;  // of each layer: panel after panel, output after output, N_out x samples
  ShardSums partial_;
  Work work_;
};

template <class Body>
double Evaluator::over_shard(std::size_t shard, Workspace& space, double* partial, const Body& body) {
  double value = 0;
  const std::size_t end = rows_->shard_end(batch_, shard);
  for (std::size_t p = rows_->shard_begin(batch_, shard); p < end; ++p) value += body(p, space, partial);
  return value;
}

template <class Body>
double Evaluator::over_panels(std::span<double> sums, const Body& body) {
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
