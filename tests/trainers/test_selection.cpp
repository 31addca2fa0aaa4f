#include "strata/trainers/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "strata/core/errors.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Blocks = std::vector<Block>;

// A selection at work on a network without data: the view, the random stream and what was chosen.
class Chooser {
 public:
  Chooser(const SelectionRecipe& recipe, std::size_t layers, std::uint64_t seed = 1)
      : selection_(make_selection(recipe)), random_(seed) {
    view_.layers = layers;
    view_.gradient_norms = [this]() -> const Vector& { return ++asked_, norms_; };
    norms_.assign(layers, 1.0);
  }

  Blocks next() {
    Blocks blocks{{7, 7}};  // what an earlier batch left there must not survive
    selection_->choose(view_, random_, blocks);
    return blocks;
  }

  // A visit in which f falls from 1.
  void visited(Block block, double gain, int iterations) {
    StepRecord step;
    step.block = block;
    step.before = 1;
    step.after = 1 - gain;
    step.iterations = iterations;
    selection_->visited(step);
  }
  void save_and_restore(const SelectionRecipe& recipe) {
    State state;
    selection_->save(state);
    selection_ = make_selection(recipe);
    selection_->restore(state);
  }

  SelectionView& view() { return view_; }
  Vector& norms() { return norms_; }
  [[nodiscard]] int asked() const { return asked_; }

 private:
  std::unique_ptr<Selection> selection_;
  RandomStream random_;
  SelectionView view_;
  Vector norms_;
  int asked_ = 0;
};

Block layer(std::size_t l) { return {l, l}; }

TEST(Selection, BackwardAndForwardSweepsVisitEveryLayerInTheirOrder) {
  EXPECT_THAT(Chooser(backward_sweep(), 3).next(), ElementsAre(layer(2), layer(1), layer(0)));
  EXPECT_THAT(Chooser(forward_sweep(), 3).next(), ElementsAre(layer(0), layer(1), layer(2)));
  EXPECT_THAT(Chooser(backward_sweep(), 1).next(), ElementsAre(layer(0)));
}

TEST(Selection, NeuronGroupsCoverEveryHiddenNeuronOnceAndTheOutputLayerByItself) {
  const std::vector<std::size_t> hidden{3, 2};
  const auto groups = [&](std::size_t group, LayerOrder order) {
    Chooser chooser(neuron_groups({group, order}), 3);
    chooser.view().hidden = hidden;
    return chooser.next();
  };
  EXPECT_THAT(groups(2, LayerOrder::backward),
              ElementsAre(layer(2), Block{1, 1, 0, 2}, Block{0, 0, 2, 1}, Block{0, 0, 0, 2}));
  EXPECT_THAT(groups(9, LayerOrder::forward), ElementsAre(Block{0, 0, 0, 3}, Block{1, 1, 0, 2}, layer(2)));
  EXPECT_THAT(groups(1, LayerOrder::random),
              UnorderedElementsAre(Block{0, 0, 0, 1}, Block{0, 0, 1, 1}, Block{0, 0, 2, 1}, Block{1, 1, 0, 1},
                                   Block{1, 1, 1, 1}, layer(2)));
  EXPECT_THROW(make_selection(neuron_groups({.group = 0})), InvalidOption);
}

TEST(Selection, RandomSweepIsAPermutationOfTheLayersDrawnAnewEachSweep) {
  Chooser chooser(random_sweep(), 4);
  std::map<std::vector<std::size_t>, int> seen;
  for (int sweep = 0; sweep < 2400; ++sweep) {
    std::vector<std::size_t> order;
    for (const Block& block : chooser.next()) {
      EXPECT_EQ(block.first, block.last);
      order.push_back(block.first);
    }
    ++seen[order];
    ASSERT_THAT(order, UnorderedElementsAre(0U, 1U, 2U, 3U));
  }
  EXPECT_EQ(seen.size(), 24U);  // every order occurs, about 100 times
  for (const auto& [order, count] : seen) EXPECT_GT(count, 50);
}

TEST(Selection, WholeNetworkIsOneBlock) {
  EXPECT_THAT(Chooser(whole_network(), 5).next(), ElementsAre(Block{0, 4}));
}

TEST(Selection, BlocksThenAllAddsTheWholeNetworkWhereTheBatchHasRowsEnough) {
  Chooser chooser(blocks_then_all({.hidden_layers = 1, .rows_per_weight = 2}), 3);
  chooser.view().weights = 100;
  chooser.view().rows = 199;
  EXPECT_THAT(chooser.next(), ElementsAre(layer(2), layer(1), layer(0)));
  chooser.view().rows = 200;
  EXPECT_THAT(chooser.next(), ElementsAre(layer(2), layer(1), layer(0), Block{0, 2}));
  chooser.view().long_epoch = true;
  EXPECT_THAT(chooser.next(), ElementsAre(layer(2), layer(1), layer(0)));
}

TEST(Selection, OnAllRowsAllLayersTakeThePlaceOfEachOnceTheyWereWorthTheirCostUntilTheyGainNothing) {
  const SelectionRecipe recipe = blocks_then_all({.rows_per_weight = 0});
  Chooser chooser(recipe, 2);
  const Block all{0, 1};
  const auto visit_layers = [&] {
    chooser.visited(layer(1), 0.01, 4);
    chooser.visited(layer(0), 0.02, 4);
  };
  EXPECT_THAT(chooser.next(), ElementsAre(layer(1), layer(0), all));
  visit_layers();
  chooser.visited(all, 0.5, 9);
  chooser.save_and_restore(recipe);
  EXPECT_THAT(chooser.next(), ElementsAre(all));
  chooser.visited(all, 1e-9, 9);  // little, but there is nothing to compare it with
  EXPECT_THAT(chooser.next(), ElementsAre(all));
  chooser.visited(all, 0, 9);
  EXPECT_THAT(chooser.next(), ElementsAre(layer(1), layer(0)));
  visit_layers();
  EXPECT_THAT(chooser.next(), ElementsAre(layer(1), layer(0), all));
  visit_layers();
  chooser.visited(all, 0.5, 9);
  EXPECT_THAT(chooser.next(), ElementsAre(all));

  Chooser beside(blocks_then_all({.rows_per_weight = 0, .alone_on_all_rows = false}), 2);
  for (int batch = 0; batch < 3; ++batch) {
    EXPECT_THAT(beside.next(), ElementsAre(layer(1), layer(0), all));
    beside.visited(all, 0.5, 9);
  }
}

TEST(Selection, AllLayersAreLeftOutOfMoreAndMoreBatchesAsLongAsTheyGainLessForTheirCost) {
  const SelectionRecipe recipe = blocks_then_all({.rows_per_weight = 0});
  Chooser chooser(recipe, 2);
  chooser.view().whole_data = false;
  const Block all{0, 1};
  // Blocks: (6 + 4) x 1 + (6 + 4) x 2 = 30 passes; all layers: (6 + 9) x 2 = 30.
  const auto batch = [&](double gain_of_all) {
    const Blocks blocks = chooser.next();
    chooser.visited(layer(1), 0.01, 4);
    chooser.visited(layer(0), 0.02, 4);
    if (blocks.back() == all) chooser.visited(all, gain_of_all, 9);
    return blocks.back() == all;
  };
  EXPECT_TRUE(batch(0.029));
  EXPECT_FALSE(batch(0));
  EXPECT_TRUE(batch(0.029));
  chooser.save_and_restore(recipe);
  EXPECT_FALSE(batch(0));
  EXPECT_FALSE(batch(0));
  EXPECT_TRUE(batch(0.031));  // worth its cost
  EXPECT_TRUE(batch(0.031));
}

TEST(Selection, BlocksThenAllGroupsHiddenLayersFromTheLastOneAndLeavesTheOutputLayerAlone) {
  const auto blocks = [](std::size_t layers, std::size_t hidden_layers, LayerOrder order) {
    Chooser chooser(blocks_then_all({order, hidden_layers, infinity}), layers);
    chooser.view().weights = 1;
    return chooser.next();
  };
  EXPECT_THAT(blocks(6, 2, LayerOrder::backward), ElementsAre(layer(5), Block{3, 4}, Block{1, 2}, layer(0)));
  EXPECT_THAT(blocks(6, 2, LayerOrder::forward), ElementsAre(layer(0), Block{1, 2}, Block{3, 4}, layer(5)));
  EXPECT_THAT(blocks(6, 5, LayerOrder::backward), ElementsAre(layer(5), Block{0, 4}));
  EXPECT_THAT(blocks(6, 9, LayerOrder::backward), ElementsAre(layer(5), Block{0, 4}));
  EXPECT_THAT(blocks(2, 2, LayerOrder::backward), ElementsAre(layer(1), layer(0)));
  EXPECT_THAT(blocks(1, 2, LayerOrder::backward), ElementsAre(layer(0)));
  EXPECT_THROW(make_selection(blocks_then_all({.hidden_layers = 0})), InvalidOption);
}

TEST(Selection, LayerAndAllAfterGrowsFromTheOutputLayerToTheWholeNetwork) {
  EXPECT_THAT(Chooser(layer_and_all_after(), 3).next(), ElementsAre(Block{2, 2}, Block{1, 2}, Block{0, 2}));
  const EveryLayer forward{.order = LayerOrder::forward, .with_later = true};
  EXPECT_THAT(Chooser(forward, 3).next(), ElementsAre(Block{0, 2}, Block{1, 2}, Block{2, 2}));
}

TEST(Selection, GivenOrderIsTakenAsGivenAlsoWithRepetitionsAndLongerBlocks) {
  const Blocks order{{1, 2}, {0, 0}, {1, 2}};
  Chooser chooser(given_order(order), 3);
  EXPECT_EQ(chooser.next(), order);
  EXPECT_EQ(chooser.next(), order);
}

TEST(Selection, FixedSubsetVisitsOnlyItsLayersInTheOrderAskedFor) {
  EXPECT_THAT(Chooser(fixed_subset({2, 0}, LayerOrder::forward), 4).next(), ElementsAre(layer(0), layer(2)));
  EXPECT_THAT(Chooser(fixed_subset({0, 3}, LayerOrder::backward), 4).next(), ElementsAre(layer(3), layer(0)));
  EXPECT_THAT(Chooser(fixed_subset({0, 3}, LayerOrder::random), 4).next(),
              UnorderedElementsAre(layer(0), layer(3)));
}

TEST(Selection, RandomSubsetDrawsDifferentLayersForEveryBatch) {
  for (const LayerOrder order : {LayerOrder::forward, LayerOrder::backward, LayerOrder::random}) {
    Chooser chooser(random_subset(2, order), 4);
    std::set<std::set<std::size_t>> seen;
    for (int batch = 0; batch < 200; ++batch) {
      const Blocks blocks = chooser.next();
      ASSERT_EQ(blocks.size(), 2U);
      ASSERT_NE(blocks[0], blocks[1]);
      if (order != LayerOrder::random) {
        ASSERT_EQ(blocks[0].first < blocks[1].first, order == LayerOrder::forward);
      }
      seen.insert({blocks[0].first, blocks[1].first});
    }
    EXPECT_EQ(seen.size(), 6U);  // all pairs of four layers
  }
}

TEST(Selection, RandomSubsetOfMoreLayersThanThereAreIsAllOfThem) {
  EXPECT_THAT(Chooser(random_subset(9, LayerOrder::forward), 2).next(), ElementsAre(layer(0), layer(1)));
}

TEST(Selection, OneLayerPerBatchGoesRoundAllLayersFromBatchToBatch) {
  const auto first_six = [](LayerOrder order) {
    Chooser chooser(one_layer_per_batch(order), 3);
    std::vector<std::size_t> layers;
    for (int batch = 0; batch < 6; ++batch) {
      const Blocks blocks = chooser.next();
      EXPECT_EQ(blocks.size(), 1U);
      layers.push_back(blocks[0].first);
    }
    return layers;
  };
  EXPECT_THAT(first_six(LayerOrder::forward), ElementsAre(0U, 1U, 2U, 0U, 1U, 2U));
  EXPECT_THAT(first_six(LayerOrder::backward), ElementsAre(2U, 1U, 0U, 2U, 1U, 0U));
  const auto random = first_six(LayerOrder::random);
  EXPECT_THAT(std::vector(random.begin(), random.begin() + 3), UnorderedElementsAre(0U, 1U, 2U));
  EXPECT_THAT(std::vector(random.begin() + 3, random.end()), UnorderedElementsAre(0U, 1U, 2U));
}

TEST(Selection, LargestGradientPicksTheLayerWithTheLargestNorm) {
  Chooser chooser(largest_gradient(100), 3);
  for (const std::size_t largest : {1U, 2U, 0U, 1U, 1U}) {
    chooser.norms().assign(3, 0.5);
    chooser.norms()[largest] = 2;
    EXPECT_THAT(chooser.next(), ElementsAre(layer(largest)));
  }
  EXPECT_EQ(chooser.asked(), 5);  // one full evaluation each
}

// The same layer always has the largest gradient: the others still come in any `bound` sweeps.
TEST(Selection, LargestGradientVisitsEveryLayerWithinTheBound) {
  for (const std::size_t layers : {1U, 2U, 3U, 5U})
    for (const std::size_t bound : {0U, 5U, 6U, 9U, 20U}) {
      Chooser chooser(largest_gradient(bound), layers);
      chooser.norms()[layers / 2] = 10;
      const std::size_t within = bound == 0 ? 2 * layers : bound;
      std::vector<std::size_t> last_visit(layers, 0);  // sweeps count from 1
      std::size_t favourite = 0;
      for (std::size_t sweep = 1; sweep <= 100; ++sweep) {
        const std::size_t chosen = chooser.next().at(0).first;
        favourite += chosen == layers / 2 ? 1 : 0;
        last_visit[chosen] = sweep;
        for (std::size_t l = 0; l < layers; ++l)
          ASSERT_LT(sweep - last_visit[l], within)
              << "layer " << l << " of " << layers << ", bound " << bound;
      }
      EXPECT_GE(favourite, 100 / layers);
    }
}

TEST(Selection, LargestGradientRefusesABoundThatCannotBeKept) {
  Chooser chooser(largest_gradient(2), 3);
  EXPECT_THROW(chooser.next(), InvalidOption);
}

TEST(Selection, TwoBlockUsesTheOutputLayerOnAllRowsAndTheHiddenLayersOnMinibatches) {
  Chooser chooser(output_then_hidden(), 4);
  EXPECT_THAT(chooser.next(), ElementsAre(layer(3)));
  chooser.view().whole_data = false;
  EXPECT_THAT(chooser.next(), ElementsAre(Block{0, 2}));
  chooser.view().layers = 1;
  EXPECT_THAT(chooser.next(), ElementsAre());
}

TEST(Selection, OutputLayerOnlyIsTheLastLayer) {
  EXPECT_THAT(Chooser(output_layer_only(), 4).next(), ElementsAre(layer(3)));
}

TEST(Selection, LayersThatDoNotExistAreRefused) {
  EXPECT_THROW(Chooser(given_order({{0, 3}}), 3).next(), InvalidOption);
  EXPECT_THROW(Chooser(given_order({{3, 3}}), 3).next(), InvalidOption);
  EXPECT_THROW(Chooser(fixed_subset({3}, LayerOrder::forward), 3).next(), InvalidOption);
  EXPECT_THROW(make_selection(given_order({{2, 1}})), InvalidOption);
}

TEST(Selection, ARuleThatWouldNeverSelectAnythingIsRefused) {
  EXPECT_THROW(make_selection(given_order({})), InvalidOption);
  EXPECT_THROW(make_selection(fixed_subset({}, LayerOrder::forward)), InvalidOption);
  EXPECT_THROW(make_selection(random_subset(0, LayerOrder::forward)), InvalidOption);
}

TEST(Selection, ASecondSelectionFromTheSameRecipeStartsAfresh) {
  for (const SelectionRecipe& recipe : {one_layer_per_batch(LayerOrder::forward), largest_gradient()}) {
    Chooser first(recipe, 3);
    const Block chosen = first.next().at(0);
    first.next();
    EXPECT_EQ(Chooser(recipe, 3).next().at(0), chosen);
  }
}

}  // namespace
}  // namespace strata
