#include "strata/network/network.h"

#include <utility>

#include "network/panel_pass.h"

namespace strata {

Network::Network(Architecture architecture) : architecture_(std::move(architecture)) {
  architecture_.check();
  offsets_.push_back(0);
  for (std::size_t l = 0; l < layers(); ++l)
    offsets_.push_back(offsets_.back() + architecture_.fan_in(l) * architecture_.width(l));
  weights_.assign(offsets_.back(), 0.0);
}

void Network::predict(ConstMatrix inputs, Matrix outputs) const {
  PanelPass(*this, inputs.rows()).predict(inputs, outputs);
}

}  // namespace strata
