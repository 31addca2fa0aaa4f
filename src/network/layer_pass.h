#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "strata/core/matrix.h"
#include "strata/core/vector.h"
#include "strata/network/architecture.h"

namespace strata {

// What a layer has given for a panel of samples; slope only where its activation stores it.
template <class T>
struct LayerOutput {
  Activation g = Activation::linear;
  MatrixView<const T> z = {};
  MatrixView<const T> slope = {};
};

// Which columns of a panel are samples, and how much each counts; no weights: all the same.
struct SampleWeights {
  std::size_t samples = 0;
  std::span<const double> weights = {};
};

template <class T>
struct MomentScratch {
  VectorOf<T>& values;  // as many as the largest panel
  VectorOf<T>& row;     // one for each sample
};

template <class T>
struct Touch;

// A kind of layer: its part in every pass over a panel of samples, for training and for prediction. A kind is a class
// derived from this and a line in `make_layer_passes`. Nothing here depends on a network's weights: they are arguments,
// in the form that `as_read` gives them once for all panels.
// T: double or float. Sums over samples are double.
template <class T>
class LayerPass {
 public:
  using Panel = MatrixView<T>;
  using ConstPanel = MatrixView<const T>;

  LayerPass() = default;
  virtual ~LayerPass() = default;
  LayerPass(const LayerPass&) = delete;
  LayerPass& operator=(const LayerPass&) = delete;

  // Weights as passes read them: themselves, or a function of them in `space`.
  virtual ConstPanel as_read(ConstPanel w, VectorOf<T>& /*space*/) const { return w; }
  // From the derivative with respect to those to the one with respect to the weights.
  virtual void to_weights(Matrix /*gradient*/) const {}

  // out = g(a), a the layer's map of `in`; slope = g'(a) where g stores it.
  virtual void forward(Activation g, ConstPanel w, ConstPanel in, Panel out, Panel slope) const = 0;
  // A layer that looks its inputs up may do so once for several networks that read them alike: what it has found, valid until
  // the thread's next call, and the rest of `forward`. None: it has nothing to look up.
  virtual const Touch<T>* look_up(ConstPanel /*in*/) const { return nullptr; }
  virtual void forward_found(const Touch<T>* /*found*/, Activation /*g*/, ConstPanel /*w*/, Panel /*out*/,
                             Panel /*slope*/) const {}
  // Bytes that `keep_look_ups` takes for each sample; 0: the layer has nothing to look up.
  [[nodiscard]] virtual std::size_t look_up_bytes() const { return 0; }
  // Looks up the inputs of panels that lie one after the other, once for all passes over them, until it is called again. The
  // inputs have to stay as they are; 0 panels: none are kept.
  virtual void keep_look_ups(const T* /*inputs*/, std::size_t /*panels*/, std::size_t /*height*/,
                             std::size_t /*stride*/) {}
  // From the derivative with respect to a to that with respect to a of the layer before, whose output is `before`.
  virtual void backward(ConstPanel w, ConstPanel delta, const LayerOutput<T>& before, Panel out) const = 0;
  // gradient += derivative with respect to w, from the one with respect to a
  virtual void gradient(ConstPanel w, ConstPanel in, ConstPanel delta, Matrix gradient) const = 0;

  // out = the change of a along v, a direction in the space of the weights, in the form that `direction` gives it. As it stands
  // where a is linear in the weights.
  virtual ConstPanel direction(ConstPanel /*w*/, ConstPanel v, VectorOf<T>& space) const {
    return as_read(v, space);
  }
  virtual void change(ConstPanel v, ConstPanel in, Panel out) const {
    forward(Activation::linear, v, in, out, {});
  }
  // The same times g'(a), in a form of its own; `own` is what the layer has given.
  virtual ConstPanel tangent_form(ConstPanel w, ConstPanel v, VectorOf<T>& space) const {
    return direction(w, v, space);
  }
  virtual void tangent(ConstPanel v, ConstPanel in, const LayerOutput<T>& own, Panel out) const = 0;

  // sums += second moments of what enters the layer, unfinished: `finish_moments` ends them, once for all panels.
  virtual void moments(ConstPanel in, const SampleWeights& rows, const MomentScratch<T>& scratch,
                       double* sums) const = 0;
  virtual void finish_moments(double* sums) const = 0;
  [[nodiscard]] virtual std::size_t moments_size() const = 0;  // as MomentParts::size
};

template <class T>
using LayerPasses = std::vector<std::unique_ptr<LayerPass<T>>>;

// One for each layer of the architecture.
template <class T>
LayerPasses<T> make_layer_passes(const Architecture& architecture, const Kernels<T>& kernels);

// What kinds of layers ask of an architecture; throws InvalidOption.
void check_layers(const Architecture& architecture);

}  // namespace strata
