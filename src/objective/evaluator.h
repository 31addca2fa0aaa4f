#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "strata/core/work.h"
#include "strata/network/network.h"
#include "strata/objective/objective.h"
#include "strata/objective/packed_rows.h"

namespace strata {

// Passes over the data, as the objective asks for them: weights go in and sums come out in double precision, whatever
// precision the passes compute in. All means and sums over rows are weighted where the rows have weights.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual void select(const PackedRows& rows, Rows batch) = 0;
  virtual void reselect(Rows batch) = 0;
  [[nodiscard]] virtual const Rows& selected() const = 0;
  [[nodiscard]] virtual const Work& work() const = 0;

  // Makes the input of this layer available from the cache, where the cache is used.
  virtual void prepare_input_of(std::size_t layer) = 0;
  // The same for a part of a layer, whose trials also start from what enters the next layer's activation.
  virtual void prepare_part(Block block) = 0;
  // The outputs of this layer and of later ones no longer fit the weights.
  virtual void invalidate_from(std::size_t layer) = 0;
  // The network has these weights in the block now. Where they were the last to be tried with try_weights, their
  // activations are there already; those of a part of a layer are brought up to date.
  virtual void commit(Block block, std::span<const double> weights) = 0;
  [[nodiscard]] virtual std::size_t valid_layers() const = 0;

  // Mean loss with the block's weights replaced by `trial`; gradient of that mean unless `gradient` is empty.
  virtual double mean_loss(Block block, std::span<const double> trial, std::span<double> gradient) = 0;
  // The same without gradient; keeps the activations beside those of the network's weights, in case of a commit.
  virtual double try_weights(Block block, std::span<const double> trial) = 0;

  // For a loss of constant curvature, with Z the input of the output layer and E = Z W - Y at the network's weights:
  // sums = [Z'Z (N x N), Z'E (N x outputs)] over the rows; returns the sum of their losses.
  virtual double output_moments(std::span<double> sums) = 0;

  // Gauss-Newton on a block at the network's weights (the output layer by itself: at any weights of it). Keeps what
  // products need, and fills sums = [gradient of the mean loss, then for each layer Z'Z (N_in x N_in) and S'S
  // (N_out x N_out)], S being d outputs / d a_l times a root of the loss's curvature, or of 1 where that is constant.
  // One output alone: [gradient, Z'CZ with the curvatures c of the rows]. Returns the mean loss.
  virtual double linearise(Block block, std::span<const double> weights, std::span<double> sums) = 0;
  // hv = (1/rows) J'H J v for the block last linearised, H the curvature of the loss.
  virtual void gauss_newton_times(Block block, std::span<const double> v, std::span<double> hv) = 0;
};

// In the precision that the options ask for.
std::unique_ptr<Evaluator> make_evaluator(const Network& network, const PackedRows& rows,
                                          const ObjectiveOptions& options);

}  // namespace strata
