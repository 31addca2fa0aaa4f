#include "model/bends.h"

#include <bit>
#include <cstdint>
#include <limits>

namespace strata {

namespace {

// Held-out rows are few: without this a bend that helps is left out for their noise. Chosen on rows that were neither trained nor
// tested on (docs/mathematics.md).
constexpr double gain_of_leaving_one_out = 0.005;

using BendSet = std::uint32_t;  // bit b: the members of turn b

bool has(BendSet set, std::size_t bend) { return (set >> bend & 1U) != 0; }

class Judge {
 public:
  Judge(const Model& model, std::span<const std::size_t> members, std::size_t bends,
        const EvaluationSets& held_out, std::span<const double> class_factors)
      : model_(model), members_(members), bends_(bends), class_factors_(class_factors) {
    for (const EvaluationSet& set : held_out)
      if (bends_of(set) == all()) sets_.push_back(set);
  }

  [[nodiscard]] BendSet best() const {
    BendSet best = all();
    if (sets_.empty()) return best;
    double least = std::numeric_limits<double>::infinity();
    for (BendSet set = all(); set > 0; --set) {
      const int left_out = std::popcount(all()) - std::popcount(set);
      const double loss = loss_of(set) * (1 + gain_of_leaving_one_out * left_out);
      if (loss < least) {
        least = loss;
        best = set;
      }
    }
    return best;
  }

 private:
  [[nodiscard]] BendSet all() const { return (BendSet{1} << bends_) - 1; }
  [[nodiscard]] std::size_t turn(std::size_t position) const { return members_[position] % bends_; }
  [[nodiscard]] std::size_t first_of(const EvaluationSet& set) const {
    return static_cast<std::size_t>(set.networks.data() - model_.networks.data());
  }
  [[nodiscard]] BendSet bends_of(const EvaluationSet& set) const {
    BendSet found = 0;
    for (std::size_t m = 0; m < set.networks.size(); ++m) found |= BendSet{1} << turn(first_of(set) + m);
    return found;
  }

  [[nodiscard]] double loss_of(BendSet bends) const {
    Model chosen = model_;
    chosen.networks.clear();
    std::vector<std::size_t> counts;
    for (const EvaluationSet& set : sets_) {
      const std::size_t before = chosen.networks.size();
      for (std::size_t m = 0; m < set.networks.size(); ++m)
        if (has(bends, turn(first_of(set) + m))) chosen.networks.push_back(set.networks[m]);
      counts.push_back(chosen.networks.size() - before);
    }
    EvaluationSets sets;
    std::size_t first = 0;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      sets.push_back({std::span(chosen.networks).subspan(first, counts[s]), sets_[s].rows});
      first += counts[s];
    }
    return evaluate(chosen, sets, class_factors_).loss;
  }

  const Model& model_;
  std::span<const std::size_t> members_;
  std::size_t bends_;
  std::span<const double> class_factors_;
  EvaluationSets sets_;
};

}  // namespace

std::vector<std::size_t> members_to_keep(const Model& model, std::span<const std::size_t> members,
                                         std::size_t bends, const EvaluationSets& held_out,
                                         std::span<const double> class_factors) {
  const BendSet best = Judge(model, members, bends, held_out, class_factors).best();
  std::vector<std::size_t> kept;
  for (std::size_t position = 0; position < members.size(); ++position)
    if (has(best, members[position] % bends)) kept.push_back(position);
  return kept;
}

}  // namespace strata
