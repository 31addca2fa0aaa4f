#include "network/layer_pass.h"

#include "network/dense_layer.h"
#include "network/feature_layer.h"
#include "network/radial_layer.h"

namespace strata {

template <class T>
LayerPasses<T> make_layer_passes(const Architecture& architecture, const Kernels<T>& kernels) {
  LayerPasses<T> passes;
  for (std::size_t l = 0; l < architecture.layers(); ++l)
    if (l == 0 && !architecture.columns.empty())
      passes.push_back(std::make_unique<FeatureLayer<T>>(architecture, kernels));
    else if (architecture.is_radial(l))
      passes.push_back(std::make_unique<RadialLayer<T>>(architecture, kernels));
    else
      passes.push_back(std::make_unique<DenseLayer<T>>(kernels, architecture.fan_in(l)));
  return passes;
}

template LayerPasses<double> make_layer_passes(const Architecture&, const Kernels<double>&);
template LayerPasses<float> make_layer_passes(const Architecture&, const Kernels<float>&);

}  // namespace strata
