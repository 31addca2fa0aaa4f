#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "study/record.h"

namespace strata {

using MethodPair = std::array<std::string, 2>;             // the block method first
inline const MethodPair batch_methods{"b2ld", "lbfgs"};    // Tables 2 to 5
inline const MethodPair minibatch_methods{"bling", "ig"};  // Tables 6 to 8

// How often the first of two methods is better than the other by more than 5 %, and the other than it.
struct Score {
  std::size_t wins = 0;
  std::size_t defeats = 0;
  std::size_t runs = 0;  // starts that both have

  [[nodiscard]] int winner() const { return (wins > defeats ? 1 : 0) - (wins < defeats ? 1 : 0); }
};

struct StudyCell {
  std::string network;
  std::string data;
};

// Records by what a table asks for.
class RunSet {
 public:
  explicit RunSet(const std::vector<RunRecord>& runs);

  // (network, data) for which some run of these methods is there: networks and data in the order of the paper, others
  // after them.
  [[nodiscard]] std::vector<StudyCell> cells(const std::string& variant,
                                             const std::vector<std::string>& methods) const;
  [[nodiscard]] std::vector<std::string> networks() const;
  [[nodiscard]] std::vector<std::string> data() const;

  // The run with the lowest objective over the starts; nullptr when there is none.
  [[nodiscard]] const RunRecord* best(const std::string& variant, const StudyCell& cell,
                                      const std::string& method) const;

  // Over the starts that both methods have.
  [[nodiscard]] Score score(const std::string& variant, const StudyCell& cell, const MethodPair& methods,
                            double RunRecord::*field) const;

 private:
  using Starts = std::map<std::uint64_t, const RunRecord*>;
  [[nodiscard]] const Starts* starts(const std::string& variant, const StudyCell& cell,
                                     const std::string& method) const;

  std::map<std::array<std::string, 4>, Starts> runs_;  // variant, network, data, method
  std::vector<std::string> networks_;
  std::vector<std::string> data_;
};

}  // namespace strata
