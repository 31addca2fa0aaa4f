#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"
#include "strata/network/network.h"

namespace strata {

// The outputs of a network for one panel of rows at a time; owns the activations in between. Copies share the rest. Made for
// few samples it is cheap: most of the time of a single row would be that of clearing memory for a whole panel. A single row
// passes by kernels of its own, which give the same bits.
class PanelPass {
 public:
  static constexpr std::size_t most_samples = 128;

  // For panels of at most so many samples.
  explicit PanelPass(const Network& network, std::size_t samples = most_samples);

  // inputs: a row for each input, then one for the constant feature where the first layer has a bias. The outputs, a row
  // for each and a column for each sample, are valid until the next call.
  ConstMatrix outputs(ConstMatrix inputs, std::size_t samples);

  // Any number of samples, each a row of `inputs` and of `outputs`.
  void predict(ConstMatrix inputs, Matrix outputs);

 private:
  struct Layers;  // and their weights as passes read them
  void predict_row(std::span<const double> inputs, std::span<double> outputs);

  const Architecture& architecture_;
  std::shared_ptr<const Layers> layers_;
  std::size_t most_;
  std::size_t stride_;
  Vector in_, out_, slope_;
  Vector gathered_;  // the inputs of a panel
};

}  // namespace strata
