#pragma once

#include <cstddef>
#include <memory>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"
#include "strata/network/network.h"

namespace strata {

// The outputs of a network for one panel of rows at a time; owns the activations in between. Copies share the rest.
class PanelPass {
 public:
  static constexpr std::size_t most_samples = 128;

  explicit PanelPass(const Network& network);

  // inputs: a row for each input, then one for the constant feature where the first layer has a bias. The outputs, a row
  // for each and a column for each sample, are valid until the next call.
  ConstMatrix outputs(ConstMatrix inputs, std::size_t samples);

 private:
  struct Layers;  // and their weights as passes read them

  const Architecture& architecture_;
  std::shared_ptr<const Layers> layers_;
  std::size_t stride_;
  Vector in_, out_, slope_;
};

}  // namespace strata
