#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/core/vector.h"
#include "strata/network/network.h"

namespace strata {

template <class T>
struct Touch;

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
  friend class MemberPasses;
  struct Layers;  // and their weights as passes read them
  void predict_row(std::span<const double> inputs, std::span<double> outputs);
  // The rows from this one on, as many as a panel has, as a panel; valid until the next call.
  ConstMatrix panel_of(ConstMatrix inputs, std::size_t start, std::size_t rows);
  [[nodiscard]] const Touch<double>* look_up(ConstMatrix inputs, std::size_t samples) const;
  ConstMatrix outputs(ConstMatrix inputs, std::size_t samples, const Touch<double>* found);

  const Architecture& architecture_;
  std::shared_ptr<const Layers> layers_;
  std::size_t most_;
  std::size_t stride_;
  Vector in_, out_, slope_;
  Vector gathered_;  // the inputs of a panel
};

// The outputs of several networks with the same inputs and outputs, the members of a model. Inputs are laid out as panels once
// and, where the first layers read them alike, looked up once: the bits are those of each network by itself.
class MemberPasses {
 public:
  explicit MemberPasses(std::span<const Network> networks, std::size_t samples = PanelPass::most_samples);

  // As PanelPass::outputs, for each network.
  std::span<const ConstMatrix> outputs(ConstMatrix inputs, std::size_t samples);

  // Any number of samples, each a row of `inputs`; a row of `outputs` has those of one network after those of the other.
  void predict(ConstMatrix inputs, Matrix outputs);

 private:
  std::vector<PanelPass> passes_;
  bool read_alike_;
  std::vector<ConstMatrix> found_;
};

}  // namespace strata
