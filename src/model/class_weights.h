#pragma once

#include <span>
#include <string>
#include <vector>

#include "strata/model/fit.h"

namespace strata {

// The factor of each class in the loss, in the order of the classes; none where all count the same. Refuses weights for
// classes that are not there, and for a regression. `train` counts the rows; processes that share them call together.
std::vector<double> class_factors(const ClassWeight& weight, const std::vector<std::string>& classes,
                                  const Dataset& train, Communicator& processes);

// The remedy where an option of classes is given for a regression.
std::string no_classes();

// Multiplies the weight of every row by the factor of its class.
void weigh_classes(Dataset& data, std::span<const double> factors);

}  // namespace strata
