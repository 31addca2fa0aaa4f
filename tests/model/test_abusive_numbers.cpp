// Every method and regression loss on numbers at the edges of what a double holds: a run ends with a model whose
// predictions are finite, also far outside of the training rows, or with a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "strata/core/errors.h"
#include "strata/model/fit.h"
#include "strata/model/predict.h"
#include "strata/trainers/presets.h"

namespace strata {
namespace {

constexpr std::size_t columns = 2;
constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();

struct Rows {
  std::string name;
  std::vector<double> x = {};
  std::vector<double> y = {};
};

// count rows; in(i, k) gives inputs, out(i) targets.
template <class Input, class Output>
Rows rows_of(std::string name, std::size_t count, Input in, Output out) {
  Rows rows{std::move(name)};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < columns; ++k) rows.x.push_back(in(i, k));
    rows.y.push_back(out(i));
  }
  return rows;
}

double ordinary(std::size_t i, std::size_t k) { return std::sin(static_cast<double>(i * (k + 2))); }
double target(std::size_t i) { return 2 + ordinary(i, 0); }

std::vector<Rows> abusive_rows() {
  const auto sign = [](std::size_t i) { return i % 2 == 0 ? 1.0 : -1.0; };
  const auto power = [](std::size_t i, std::size_t) { return std::pow(10, 600 * target(i) / 4 - 300); };
  return {
      rows_of(
          "inputs of the largest size", 24, [&](auto i, auto) { return sign(i) * most; }, target),
      rows_of(
          "inputs of the smallest size", 24, [&](auto i, auto) { return sign(i) * least; }, target),
      rows_of(
          "one input far away", 24, [&](auto i, auto k) { return i == 5 ? 1e300 : ordinary(i, k); }, target),
      rows_of("inputs over six hundred powers of ten", 24, power, target),
      rows_of(
          "whole numbers that a double cannot tell apart", 24,
          [](auto i, auto) { return 9007199254740992.0 + static_cast<double>(i % 3); }, target),
      rows_of(
          "inputs that do not vary", 24, [](auto, auto) { return 7.0; }, target),
      rows_of(
          "zeros of both signs", 24, [&](auto i, auto) { return sign(i) * 0.0; }, target),
      rows_of("a target of the largest size", 24, ordinary,
              [&](auto i) { return i % 3 == 0 ? most : 1e307; }),
      rows_of("targets of both signs and the largest size", 24, ordinary,
              [&](auto i) { return sign(i) * most; }),
      rows_of("a target of the smallest size", 24, ordinary,
              [](auto i) { return least * static_cast<double>(i); }),
      rows_of("a target that does not vary", 24, ordinary, [](auto) { return 3.0; }),
      rows_of("one target far away", 24, ordinary, [&](auto i) { return i == 5 ? 1e300 : target(i); }),
      rows_of(
          "the same row again and again", 24, [](auto, auto) { return 0.5; }, [](auto) { return 1.0; }),
      rows_of("two rows", 2, ordinary, target),
      rows_of("one row", 1, ordinary, target),
  };
}

class AbusiveNumbers : public testing::TestWithParam<std::string> {
 protected:
  static FitOptions options(const std::string& loss, bool scaled) {
    FitOptions options;
    options.preprocess.targets = {"y"};
    options.hidden = {3};
    options.method = GetParam();
    options.limits.sweeps = 3;
    options.loss = loss;
    if (!scaled) options.preprocess.scale = options.preprocess.target_scale = Scaling::none;
    options.validation = {};
    return options;
  }

  // Finite predictions for the rows themselves and for rows at the ends of the numbers.
  static void expect_finite(const Model& model, const Rows& rows) {
    std::vector<double> x = rows.x;
    for (const double far : {most, -most, 0.0, least, 1e200, -1e200}) x.insert(x.end(), columns, far);
    const std::size_t count = x.size() / columns;
    std::vector<double> out(count);
    predict(model, {x.data(), count, columns}, {out.data(), count, 1});
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_TRUE(std::isfinite(out[i])) << "row " << i << ": " << out[i];
  }
};

TEST_P(AbusiveNumbers, GiveFinitePredictionsOrASentence) {
  for (const Rows& rows : abusive_rows())
    for (const std::string loss : {"squared", "huber", "quantile", "poisson"})
      for (const bool scaled : {true, false}) {
        SCOPED_TRACE(rows.name + ", " + loss + (scaled ? ", scaled" : ", as they are"));
        const FitOptions how = options(loss, scaled);
        const NumericRows numbers{{rows.x.data(), rows.y.size(), columns}, {rows.y.data(), rows.y.size(), 1}};
        try {
          const Model model = fit(prepare(numbers, how), how).model;
          expect_finite(parse_model(model_bytes(model), "model"), rows);
        } catch (const Error& refusal) {
          EXPECT_GT(std::string(refusal.what()).size(), 20U) << refusal.what();
        }
      }
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, AbusiveNumbers, testing::ValuesIn(all_methods()), [](const auto& instance) {
  std::string name = instance.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace strata
