#include "strata/model/importance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "strata/core/errors.h"
#include "strata/model/fit.h"
#include "support/files.h"

namespace strata {
namespace {

// y = 3 a + step of c; b is noise.
Table rows_of(std::size_t count) {
  std::vector<double> a, b, y;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < count; ++i) {
    a.push_back(std::sin(static_cast<double>(3 * i)));
    b.push_back(std::cos(static_cast<double>(7 * i)));
    codes.push_back(static_cast<std::int32_t>(i % 3));
    y.push_back(3 * a.back() + (codes.back() == 2 ? 1.0 : 0.0));
  }
  Table table;
  table.columns = {numeric_column("a", a), numeric_column("b", b),
                   nominal_column("c", {"p", "q", "r"}, codes), numeric_column("y", y)};
  return table;
}

Model fitted(const Table& table) {
  FitOptions options;
  options.preprocess.targets = {"y"};
  options.hidden = {8};
  options.limits.sweeps = 40;
  return fit(table, options).model;
}

TEST(Importance, FindsTheInputsThatMatterInTheirOrder) {
  const Table table = rows_of(300);
  const Model model = fitted(table);
  const Importances found = permutation_importance(model, table);
  ASSERT_EQ(found.inputs.size(), 3U);
  EXPECT_EQ(found.inputs[0].input, "a");
  EXPECT_EQ(found.inputs[1].input, "c");
  EXPECT_EQ(found.inputs[2].input, "b");
  EXPECT_EQ(found.error, "rmse");
  EXPECT_DOUBLE_EQ(found.value, evaluate(model, table).rmse.front());
  // Shuffled, 3 a differs from itself by sqrt(2) of its deviation, 3 / sqrt(2).
  EXPECT_NEAR(found.inputs[0].increase, 3, 0.3);
  EXPECT_LT(std::abs(found.inputs[2].increase), 0.1 * found.inputs[1].increase);
}

TEST(Importance, TheSeedDecidesAndTheTableStaysAsItWas) {
  const Table table = rows_of(200);
  const Model model = fitted(table);
  const auto increase = [&](std::uint64_t seed) {
    return permutation_importance(model, table, {.repeats = 2, .most_rows = 100, .seed = seed})
        .inputs.front()
        .increase;
  };
  EXPECT_EQ(increase(1), increase(1));
  EXPECT_NE(increase(1), increase(2));
  EXPECT_EQ(permutation_importance(model, table, {.most_rows = 100}).rows, 100U);
  EXPECT_THROW(permutation_importance(model, table, {.repeats = 0}), InvalidOption);
}

TEST(PartialDependence, FollowsANumberAndACategory) {
  const Table table = rows_of(300);
  const Model model = fitted(table);
  const std::vector<DependencePoint> number = partial_dependence(model, table, "a", 5);
  ASSERT_EQ(number.size(), 5U);
  for (const DependencePoint& point : number) EXPECT_NEAR(point.response, 3 * point.value + 1.0 / 3, 0.4);
  const std::vector<DependencePoint> category = partial_dependence(model, table, "c");
  ASSERT_EQ(category.size(), 3U);
  EXPECT_EQ(category[0].text, "p");
  EXPECT_NEAR(category[2].response - category[0].response, 1, 0.3);
}

}  // namespace
}  // namespace strata
