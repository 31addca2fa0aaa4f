// Members that take their bends in turn: their validation rows, and which of them are kept.
#include "model/bends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "strata/core/errors.h"
#include "strata/data/generators.h"
#include "strata/model/fit.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using ::testing::ElementsAre;

FitOptions with_bends(std::vector<double> bends, std::size_t members) {
  FitOptions options;
  options.preprocess.targets = {"price"};
  options.hidden = {5};
  options.knots = 8;
  options.limits.sweeps = 3;
  options.members = members;
  options.bends = std::move(bends);
  return options;
}

Table two_hundred_houses() { return housing({.rows = 200, .seed = 1}); }

// A model whose networks give one constant each, and rows to judge them by.
class Constants {
 public:
  explicit Constants(const std::vector<double>& constants)
      : options_(with_bends({0.1}, 1)),
        data_(prepare(two_hundred_houses(), options_)),
        rows_(data_.train, serial_engine()),
        model_(fit(data_, options_).model) {
    Network network = model_.networks.front();
    model_.networks.clear();
    for (const double constant : constants) {
      std::ranges::fill(network.weights(), 0.0);
      network.weights().back() = constant;  // the bias of the output
      model_.networks.push_back(network);
    }
  }

  // The first so many networks and the others did not train on the same rows each.
  [[nodiscard]] std::vector<std::size_t> kept(const std::vector<std::size_t>& members, std::size_t bends,
                                              std::size_t first) const {
    const std::span<const Network> all = model_.networks;
    EvaluationSets sets{{all.first(first), &rows_}};
    if (first < all.size()) sets.push_back({all.subspan(first), &rows_});
    return members_to_keep(model_, members, bends, sets, {});
  }

 private:
  FitOptions options_;
  FitData data_;
  PackedRows rows_;
  Model model_;
};

// Scaled targets have mean 0.
TEST(Bends, AreKeptWhoseMeanPredictsBest) {
  EXPECT_THAT(Constants({1, -1, 5}).kept({0, 1, 2}, 3, 3), ElementsAre(0, 1));
  EXPECT_THAT(Constants({1, 0, 5}).kept({0, 1, 2}, 3, 3), ElementsAre(1));
  EXPECT_THAT(Constants({1, 5, -1, 1, 5, -1}).kept({0, 1, 2, 3, 4, 5}, 3, 3), ElementsAre(0, 2, 3, 5));
}

TEST(Bends, AreAllKeptWhereLeavingOneOutGainsNextToNothing) {
  EXPECT_THAT(Constants({0.02, -0.01, 0}).kept({0, 1, 2}, 3, 3), ElementsAre(0, 1, 2));
}

// Members that an interruption kept from training leave folds without some of the bends.
TEST(Bends, AreJudgedOnRowsThatAllOfThemPredict) {
  EXPECT_THAT(Constants({5, 0, 0.1}).kept({0, 1, 2}, 2, 2), ElementsAre(1));  // the third has the first bend
  EXPECT_THAT(Constants({5, 0.1}).kept({0, 2}, 2, 1), ElementsAre(0, 1));
}

TEST(Bends, MembersOfOneTurnHaveTheSameValidationRows) {
  const FitOptions options = with_bends({0.1, 1}, 4);
  const FitData data = prepare(two_hundred_houses(), options);
  const FitResult result = fit(data, options);
  ASSERT_EQ(result.folds.size(), 2U);
  const std::size_t each = result.folds[0].networks;
  EXPECT_EQ(result.folds[1].networks, each);
  EXPECT_EQ(result.model.networks.size(), 2 * each);
  EXPECT_EQ(result.members.size(), 2 * each);
  double squares = 0;
  std::size_t rows = 0;
  std::size_t first = 0;
  for (const Fold& fold : result.folds) {
    for (const std::size_t row : fold.rows) {
      Vector features(data.train.features());
      data.train.write_features(row, {features.data(), 1, features.size()});
      double mean = 0;
      for (std::size_t m = first; m < first + fold.networks; ++m) {
        double out = 0;
        result.model.networks[m].predict({features.data(), 1, features.size()}, {&out, 1, 1});
        mean += out / static_cast<double>(fold.networks);
      }
      squares += std::pow(mean - data.train.y()(row, 0), 2);
      ++rows;
    }
    first += fold.networks;
  }
  EXPECT_NEAR(result.validation->mse, squares / static_cast<double>(rows), 1e-12);
}

TEST(Bends, AModelHasTheUsualWeights) {
  const FitResult result = fit(two_hundred_houses(), with_bends({1}, 1));
  EXPECT_EQ(result.model.architecture().bend, usual_bend);
}

// What was left out is not there to be trained further; the others go on.
TEST(Bends, AModelIsTrainedFurtherWithTheMembersThatItHas) {
  FitOptions options = with_bends({0.1, 1}, 4);
  FitData data = prepare(two_hundred_houses(), options);
  FitResult result = fit(data, options);
  result.model.networks.resize(3, result.model.networks.front());
  data.start = result.model.networks;
  EXPECT_EQ(fit(data, options).model.networks.size(), 3U);
}

TEST(Bends, ALargeTableHasOneNetwork) {
  FitOptions options = with_bends({0.1, 1}, 4);
  options.one_network_from = 200;
  const FitResult result = fit(two_hundred_houses(), options);
  EXPECT_EQ(result.model.networks.size(), 1U);
  EXPECT_FALSE(result.out_of_fold());
  EXPECT_EQ(result.validation->rows, 30U);
  EXPECT_EQ(split_rows(two_hundred_houses(), options).validation.size(), 30U);
  options.one_network_from = 201;
  EXPECT_GT(fit(two_hundred_houses(), options).model.networks.size(), 1U);
}

TEST(Bends, BadOnesAreRefused) {
  EXPECT_EQ(refusal<InvalidOption>([] { fit(two_hundred_houses(), with_bends({0}, 1)); }),
            "option 'bends' = '0': use one or more numbers above 0");
  EXPECT_EQ(refusal<InvalidOption>([] { fit(two_hundred_houses(), with_bends({}, 1)); }),
            "option 'bends' = '': use one or more numbers above 0");
  EXPECT_EQ(refusal<InvalidOption>([] {
              fit(two_hundred_houses(), with_bends({1, 1, 1, 1, 1, 1, 1}, 7));
            }),
            "option 'bends' = '7 numbers': use 1 to 6");
}

}  // namespace
}  // namespace strata
