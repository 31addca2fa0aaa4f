#pragma once

#include <cstddef>
#include <span>

#include "strata/core/matrix.h"
#include "strata/network/input_moments.h"
#include "strata/network/network.h"

namespace strata {

class Objective;

// The objective in the weights of one block as a quadratic, around the weights it was made at:
//   f(w + d) ~ value + <gradient, d> + d'H d / 2,
// H the second derivative of the mean loss without what the layers themselves bend (generalised Gauss-Newton), + 2 r I.
// The numbers live in the objective: they are valid until it makes another model, commits, opens or selects.
class LocalModel {
 public:
  [[nodiscard]] double value() const;
  [[nodiscard]] std::span<const double> gradient() const;
  [[nodiscard]] Block block() const { return block_; }

  // The model is f itself, for all d: the output layer of a loss with constant curvature.
  [[nodiscard]] bool is_exact() const { return kind_ == Kind::quadratic; }

  // hv = (H + damping I) v
  void times(std::span<const double> v, std::span<double> hv, double damping = 0) const;

  // Whether H is one matrix for every output, gram() x I: the output layer alone, if it has one output or the curvature
  // is constant.
  [[nodiscard]] bool has_gram() const { return kind_ != Kind::gauss_newton; }
  [[nodiscard]] ConstMatrix gram() const;

  // Where it is not: factors whose Kronecker product is close to a layer's own part of H - ridge I.
  [[nodiscard]] InputMoments input_moments(std::size_t layer) const;  // Z'Z / rows, as far as they are kept
  [[nodiscard]] ConstMatrix sensitivity_moments(
      std::size_t layer) const;        // S'S / rows, S = root of the loss's H times
                                       // d outputs / d a, see docs/mathematics.md
  [[nodiscard]] double ridge() const;  // 2 r

 private:
  friend class BlockObjective;
  enum class Kind { quadratic, newton, gauss_newton };
  LocalModel(Objective& owner, Block block, Kind kind) : owner_(&owner), block_(block), kind_(kind) {}

  Objective* owner_;
  Block block_;
  Kind kind_;
};

}  // namespace strata
