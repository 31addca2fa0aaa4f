#pragma once

#include <string>

#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "strata/model/model.h"
#include "support/networks.h"
#include "support/reference_model.h"

namespace strata::support {

// Houses with a number, a category and a gap, enough for every kind of encoding.
inline Table houses() {
  return parse_csv(
      "area,street,rooms,price\n50,north,2,100\n80.5,south,3,170\n,east,4,260\n120,north,5,250\n65,south,?,"
      "140\n",
      "houses.csv");
}

inline Model house_model(const PreprocessOptions& options = {.targets = {"price"},
                                                             .missing = MissingPolicy::impute}) {
  Preprocessor preprocessor = Preprocessor::fit(houses(), options);
  Network network = testing_support::random_network({.inputs = preprocessor.features(),
                                                     .hidden = {5, 4},
                                                     .outputs = preprocessor.outputs(),
                                                     .activation = Activation::tanh});
  return {{std::move(network)}, std::move(preprocessor), R"({"method":"b2ld","seed":7})"};
}

// The model that was written by hand.
inline Model reference() { return parse_model(reference_model(), "model"); }

}  // namespace strata::support
