#include <string>

#include "strata/core/errors.h"
#include "strata/objective/loss.h"

namespace strata {

// Each in the source of its name.
std::unique_ptr<const Loss> make_squared(const LossOptions& options);
std::unique_ptr<const Loss> make_huber(const LossOptions& options);
std::unique_ptr<const Loss> make_quantile(const LossOptions& options);
std::unique_ptr<const Loss> make_poisson(const LossOptions& options);
std::unique_ptr<const Loss> make_logistic(const LossOptions& options);
std::unique_ptr<const Loss> make_softmax(const LossOptions& options);

const std::vector<LossInfo>& losses() {
  constexpr bool numbers = false, classes = true;
  static const std::vector<LossInfo> table{
      {"squared", "squared error: predicts the mean", numbers, Link::identity, make_squared},
      {"huber", "squared up to delta, linear beyond: robust against outliers", numbers, Link::identity,
       make_huber},
      {"quantile", "pinball loss: predicts one or several quantiles", numbers, Link::quantiles,
       make_quantile},
      {"poisson", "counts: predicts their mean through exp", numbers, Link::exponential, make_poisson},
      {"logistic", "two classes: predicts the probability of class 1", classes, Link::logistic,
       make_logistic},
      {"softmax", "several classes: predicts the probability of each", classes, Link::softmax, make_softmax},
  };
  return table;
}

std::string loss_names() {
  std::vector<std::string_view> of_numbers, of_classes;
  for (const LossInfo& loss : losses()) (loss.for_classes ? of_classes : of_numbers).push_back(loss.name);
  return one_of(of_numbers) + " for numbers, " + one_of(of_classes) + " for classes";
}

const LossInfo& loss_info(std::string_view name) {
  for (const LossInfo& loss : losses())
    if (loss.name == name) return loss;
  throw InvalidOption("loss", name, "use " + loss_names());
}

std::unique_ptr<const Loss> make_loss(std::string_view name, const LossOptions& options) {
  return loss_info(name).make(options);
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
