#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "strata/core/vector.h"
#include "strata/core/work.h"
#include "strata/network/input_moments.h"
#include "strata/network/network.h"
#include "strata/objective/local_model.h"
#include "strata/objective/loss.h"
#include "strata/objective/packed_rows.h"

namespace strata {

class Evaluator;
class Objective;

enum class KernelSet { simd, reference };  // the plain loops exist to check the fast ones
constexpr auto names_of(KernelSet) { return std::to_array<std::string_view>({"simd", "reference"}); }

// What activations, deltas and sensitivities are computed in. Weights, losses and sums over rows are float64 anyway.
// float32 takes half the time; values and gradients have a relative error of about 1e-7 of the largest terms in them.
enum class Precision { float64, float32 };
constexpr auto names_of(Precision) { return std::to_array<std::string_view>({"float64", "float32"}); }

struct ObjectiveOptions {
  double l2 = 0;                       // r in  f(w) = (mean loss over the rows) + r ||w||^2,  r >= 0
  const Loss* loss = &squared_loss();  // must outlive the objective
  KernelSet kernels = KernelSet::simd;
  Precision precision = Precision::float64;
};

// The objective as a function of one block, all other weights as they are: all that a solver sees. Valid until the
// objective commits, opens or selects again.
class BlockObjective {
 public:
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::span<const double> weights() const;  // of the network; valid as long as this is
  double value(std::span<const double> x);
  double try_weights(
      std::span<const double> x);  // the value; commit of these very weights keeps what it computed
  double value_and_gradient(std::span<const double> x, std::span<double> gradient);

  // Output layer and a loss of constant curvature: one pass forms Z'Z and Z'E, then every evaluation costs O(N^2),
  // whatever the number of rows. Returns false where that form does not exist.
  bool use_quadratic_form();
  void hessian_times(std::span<const double> v, std::span<double> hv) const;  // quadratic form only

  // A quadratic model around the network's weights, for blocks of layers. Where it is exact, all evaluations go through it from here on.
  LocalModel model();
  // The output layer alone: around any weights of it.
  LocalModel model_at(std::span<const double> x);

  // Gradient alone, for methods that never look at the value: the mean loss without the regulariser, and ||gradient||^2,
  // found in the same pass over the gradient.
  struct LossAndNorm {
    double loss;
    double squared_norm;
  };
  LossAndNorm gradient(std::span<const double> x, std::span<double> gradient);

  [[nodiscard]] Block block() const { return block_; }
  [[nodiscard]] const Work& work() const;  // of the objective so far

 private:
  friend class Objective;
  BlockObjective(Objective& owner, Block block) : owner_(&owner), block_(block) {}
  [[nodiscard]] LocalModel model_of(LocalModel::Kind kind) const { return {*owner_, block_, kind}; }

  Objective* owner_;
  Block block_;
  bool quadratic_ = false;
};

// f(w) = (1/P) sum over the selected rows of the loss + r ||w||^2, for the weights of a network; where rows have weights
// (Dataset::weights), each loss times its row's, scaled to mean 1 over all rows. It runs on the engine of its rows, holds
// the activations that the open block starts from as far as the engine's memory allows, and knows which are stale.
class Objective {
 public:
  Objective(Network& network, const PackedRows& rows, const ObjectiveOptions& options);
  ~Objective();
  Objective(Objective&&) noexcept;
  Objective& operator=(Objective&&) = delete;

  [[nodiscard]] const Network& network() const { return *network_; }
  [[nodiscard]] const ObjectiveOptions& options() const { return options_; }
  [[nodiscard]] const Work& work() const;

  // Chooses the rows the function is a mean over; at first all of them.
  void select(Rows batch);
  void select(const PackedRows& rows, Rows batch);  // another packing of the same shape
  [[nodiscard]] std::size_t selected_rows() const;

  // A function of that block alone. Computes the block's input unless it is still valid.
  BlockObjective open(Block block);

  // Writes weights: the only place that makes activations stale, those of the block's layers and later ones.
  void commit(Block block, std::span<const double> weights);

  // After the network's weights were changed by other means.
  void refresh();

  // Layers whose outputs are in the cache and fit the weights: what refresh() forgets, and open() makes again.
  [[nodiscard]] std::size_t valid_layers() const;

  double value();                                         // at the network's weights
  double value_and_gradient(std::span<double> gradient);  // of all weights

 private:
  friend class BlockObjective;
  friend class LocalModel;

  [[nodiscard]] double squared_norm_of(std::size_t layer, Block block, std::span<const double> trial) const;
  [[nodiscard]] double regulariser(Block block, std::span<const double> trial) const;
  double evaluate(Block block, std::span<const double> x, std::span<double> gradient);
  bool form_quadratic();
  void linearise(Block block, std::span<const double> x);
  [[nodiscard]] bool has_one_matrix(Block block) const;
  double quadratic_value(std::span<const double> x, std::span<double> gradient);
  [[nodiscard]] std::size_t moments_offset(Block block, std::size_t layer) const;  // in linearised_

  Network* network_;
  ObjectiveOptions options_;
  std::unique_ptr<Evaluator> evaluator_;
  mutable Vector layer_norms_;  // ||W_l||^2 of the committed weights; NaN: not known yet
  Vector part_;                 // weights of the open block, where it is a part of a layer
  mutable Vector layer_;        // weights of that layer with those of a trial, scratch

  std::vector<MomentParts> moment_parts_;  // of every layer
  double linearised_value_ = 0;
  Vector linearised_;  // gradient of the block last linearised; then Z'Z/rows and S'S/rows of each layer

  struct Quadratic {
    double value = 0;   // f at `start`
    Vector start;       // W0
    Vector gradient;    // G
    Vector gram;        // N x N
    Vector difference;  // W - W0, scratch
    Vector product;     // H (W - W0), scratch
  } quadratic_;
};

}  // namespace strata
