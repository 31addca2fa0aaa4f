#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// How far predictions were from the truth on rows that did not train the network: what intervals are made from.
struct ConformalScores {
  std::size_t rows = 0;  // they come from; 0: there are none
  // For each target; of classes for each fold. At most 2000, evenly over the ranks.
  std::vector<std::vector<double>> sorted = {};
  // Where errors are divided by the spread of the members: for each target, what is added to it. Empty: they are not divided.
  std::vector<double> offsets = {};
  // How many networks of the model, one fold's after the other's, held out the same rows. For bounds by the spread, which is that
  // of a fold's networks, and for classes of more folds than one.
  std::vector<std::size_t> folds = {};

  // The score that at least this share of new rows does not exceed: the one of rank ceil((rows + 1) coverage), as split
  // conformal prediction has it. Refuses a coverage that is not between 0 and 1, or for which there are too few rows.
  [[nodiscard]] double at(double coverage, std::size_t target) const;

  // Of a class for a new row, whose score each fold gives: the share of rows, this one included, that are no better. A set of
  // the classes with more than 1 - coverage is that of cross-conformal prediction.
  [[nodiscard]] double p_value(std::span<const double> scores) const;

  [[nodiscard]] std::string to_json() const;
  static ConformalScores from_json(std::string_view json, const std::string& name_for_messages);

  friend bool operator==(const ConformalScores&, const ConformalScores&) = default;
};

// Any number of scores of one target, as they are kept.
std::vector<double> kept_scores(std::vector<double> scores);

}  // namespace strata
