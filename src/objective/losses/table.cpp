#include <string>

#include "objective/losses/losses.h"
#include "strata/core/errors.h"

namespace strata {

const std::vector<LossInfo>& losses() {
  static const std::vector<LossInfo> table{
      {"squared", "squared error: predicts the mean", make_squared},
      {"huber", "squared up to delta, linear beyond: robust against outliers", make_huber},
      {"quantile", "pinball loss: predicts one or several quantiles", make_quantile},
      {"poisson", "counts: predicts their mean through exp", make_poisson},
      {"logistic", "two classes: predicts the probability of class 1", make_logistic},
      {"softmax", "several classes: predicts the probability of each", make_softmax},
  };
  return table;
}

std::unique_ptr<const Loss> make_loss(std::string_view name, const LossOptions& options) {
  std::string known;
  for (const LossInfo& loss : losses()) {
    if (loss.name == name) return loss.make(options);
    known += (known.empty() ? "" : ", ") + std::string(loss.name);
  }
  throw InvalidOption("loss", name, "use one of " + known);
}

void Loss::average(ConstMatrix members, std::span<double> outputs) const {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    double sum = 0;
    for (std::size_t m = 0; m < members.rows(); ++m) sum += members(m, o);
    outputs[o] = sum / static_cast<double>(members.rows());
  }
}

const Loss& squared_loss() {
  static const std::unique_ptr<const Loss> loss = make_squared({});
  return *loss;
}

}  // namespace strata
