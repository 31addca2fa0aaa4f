#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "strata/data/preprocess.h"
#include "strata/objective/loss.h"

namespace strata {

// A loss by name, as a model keeps it.
struct LossChoice {
  std::string name = "squared";
  LossOptions options = {};
  [[nodiscard]] std::unique_ptr<const Loss> make() const { return make_loss(name, options); }

  // JSON with the name and those options that the loss has.
  [[nodiscard]] std::string to_json() const;
  static LossChoice from_json(std::string_view json);
};

// The loss for the targets that the preprocessor makes. No name: squared for numbers, logistic for two classes, softmax
// for more. Refuses a loss for numbers where there are classes, and the other way round.
LossChoice loss_for(const Preprocessor& preprocessor, std::string_view name, LossOptions options);

// What a loss asks of the preprocessing: a loss of classes means classification, any other regression; counts are not
// scaled. Refuses a task that contradicts it, and an unknown loss.
PreprocessOptions preprocessing_for(std::string_view loss, PreprocessOptions options);

}  // namespace strata
