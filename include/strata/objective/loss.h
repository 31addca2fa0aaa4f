#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/fields.h"
#include "strata/core/matrix.h"

namespace strata {

// The loss of the network's outputs against the targets of a row, with everything that depends on which loss it is.
// Every loss is 0 or more. Outputs and targets come as panels, samples contiguous: outputs x samples and target
// columns x samples, which may differ in height (softmax: one column of class codes, an output for each class). Only
// the first `samples` columns count, the rest is padding.
class Loss {
 public:
  virtual ~Loss() = default;

  // Name and options, e.g. "huber(delta=1)": equal texts mean equal losses.
  [[nodiscard]] virtual std::string text() const = 0;

  // --- Targets

  // How many outputs a network needs for so many columns of targets. Refuses a number of columns it cannot use.
  [[nodiscard]] virtual std::size_t outputs(std::size_t target_columns) const { return target_columns; }

  // Refuses targets (rows x columns) that this loss is not made for, with row and value (InvalidOption). `first_row` is
  // the number of rows before them. They are finite already.
  virtual void check_targets(ConstMatrix /*targets*/, std::size_t /*first_row*/) const {}

  // --- Function

  // Sum over samples of weight times loss; `weights` has a factor for each sample, or is empty: all are 1.
  [[nodiscard]] virtual double value(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                                     std::size_t samples) const = 0;

  // The same, and delta = scale * weight * d loss / d out; zero in the padding.
  virtual double value_and_delta(ConstMatrix out, ConstMatrix target, std::span<const double> weights,
                                 std::size_t samples, double scale, Matrix delta) const = 0;

  // --- Curvature, for Gauss-Newton steps: H, the second derivative with respect to a row's outputs, or a positive
  // semidefinite stand-in for it where that is singular or indefinite.

  // c > 0: the loss is c/2 ||out - target||^2, so that H = c I and the output layer is a linear least-squares problem.
  // 0: H depends on the row.
  [[nodiscard]] virtual double constant_curvature() const { return 0; }

  // Unless it is constant: what H needs of each sample, as a panel with this many rows,
  [[nodiscard]] virtual std::size_t curvature_rows(std::size_t outputs) const { return outputs; }
  virtual void curvature(ConstMatrix out, ConstMatrix target, std::size_t samples, Matrix state) const = 0;
  // products u <- H u of every sample's column, and u <- R u with a square root of it, H = R R'.
  virtual void curvature_times(ConstMatrix state, std::size_t samples, Matrix u) const = 0;
  virtual void root_times(ConstMatrix state, std::size_t samples, Matrix u) const = 0;

  // --- Predictions

  // From the outputs for a row to what is predicted: means, probabilities, quantiles.
  virtual void link(std::span<double> /*outputs*/) const {}

  // The outputs of one network that would predict the mean of what several predict; `members` has the outputs of each as a
  // row.
  virtual void average(ConstMatrix members, std::span<double> outputs) const;

  // The outputs, the same for all rows, with the least loss, or close to it. targets: rows x columns; weights of the
  // rows, or none.
  virtual void best_constant(ConstMatrix targets, std::span<const double> weights,
                             std::span<double> outputs) const = 0;
};

struct LossOptions {
  double delta = 1;
  std::vector<double> levels = {0.5};
  double width = 0.05;      // quantile: the corner is rounded over residuals up to this size, > 0
  std::size_t classes = 2;  // softmax: how many, >= 2; the targets are their codes, from 0

  void fields(auto& list) {
    list("huber-delta", delta, positive,
         "huber: squared up to this residual, linear beyond, in units of the scaled target");
    list("levels", levels, positive.smaller_than(1), "quantile: the levels to predict, increasing");
  }
};

// What Loss::link does, for exports, which write it down in another language.
enum class Link {
  identity,
  quantiles,    // each level after the first of a target adds softplus(output) to the one before
  exponential,  // exp of the output, which is bounded above
  logistic,     // one output, the log-odds of the second of two classes
  softmax,
};

struct LossInfo {
  std::string_view name;
  std::string_view summary;
  bool for_classes;  // else for numbers
  Link link;
  std::unique_ptr<const Loss> (*make)(const LossOptions& options);
};
const std::vector<LossInfo>& losses();
std::string loss_names();                          // "squared, ... for numbers, ... for classes"
const LossInfo& loss_info(std::string_view name);  // throws InvalidOption

// A loss by name; options that it does not have are not looked at.
std::unique_ptr<const Loss> make_loss(std::string_view name, const LossOptions& options = {});

const Loss& squared_loss();  // ||out - target||^2

}  // namespace strata
