#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/data/scale.h"
#include "strata/kernels/activation.h"
#include "strata/model/model.h"
#include "strata/network/architecture.h"

// What a model computes, as a list of steps that every exporter writes down in its own language:
// fields -> features -> networks -> link -> own units -> mean over the networks -> label.
namespace strata::exported {

// A value that the user gives for a row, and how it becomes features from `feature` on.
struct Field {
  std::string name = {};
  std::size_t feature = 0;
  std::optional<std::size_t> indicator = {};  // the feature that is 1 where the value is missing

  // A number: scaled.
  Scale scale = {};
  double fill =
      0;  // the feature where the value is missing, that of an angle too; NaN: the first layer knows what is missing

  // A part of a date. Year: a number. Others: sine and cosine of 2 pi (value - origin) / period, `fill` where it is missing.
  bool of_date = false;
  bool optional = false;  // beyond the first part; the first one says whether the date is missing
  double period = 0;      // 0: no angle
  double origin = 0;

  // A category: a 0/1 feature for each, or a single one, 1 for the second, where there are at most two. Or, where the first layer
  // has tables, a single one: its number 0, 1, ..., their count for one that was not seen in training, NaN for a missing one.
  bool category = false;
  bool coded = false;
  std::vector<std::string> categories = {};
  std::vector<double> numbers = {};  // what the categories are where they are given as numbers; else empty
  std::size_t fill_category = 0;

  [[nodiscard]] std::size_t value_width() const {
    if (period > 0) return 2;
    return category && !coded && categories.size() > 2 ? categories.size() : 1;
  }
};

// activation(weights' x + bias); weights: inputs x outputs.
struct Dense {
  ConstMatrix weights;
  std::span<const double> bias;  // empty: none
  Activation activation;
};

// The first layer as a table (FeatureLayer): every feature touches one or two rows, which are added; then bias and activation.
struct Tables {
  std::span<const ColumnBasis> columns;
  std::vector<double> entries;  // of one column after the other, each a row of `outputs` numbers
  std::size_t outputs;
  std::span<const double> bias;  // empty: none
  Activation activation;

  [[nodiscard]] std::span<const double> row(std::size_t r) const {
    return std::span(entries).subspan(r * outputs, outputs);
  }
};

// The first layer as a radial one: activation(factor * squared distance of x to each column of `centres`).
struct Radial {
  ConstMatrix centres;
  double factor;
  Activation activation;
};

// Between the knots k and k + 1 of a piecewise-linear column.
std::vector<double> inverse_gaps(const ColumnBasis& column);

using Step = std::variant<Dense, Tables, Radial>;

inline constexpr double largest_exponent = 30;  // of Link::exponential: exp(min(output, 30))

// Views into the model, which must outlive it.
struct Program {
  std::vector<Field> fields = {};
  std::size_t features = 0;
  bool fills_missing = false;  // otherwise a row with a missing value has no prediction
  bool takes_unseen = false;   // an unseen category is all zeros; otherwise its row has no prediction

  std::vector<std::vector<Step>> networks = {};
  Link link = Link::identity;
  double temperature = 1;                 // classification: outputs are divided by it first
  std::size_t levels = 1;                 // quantiles: of each target
  std::vector<Scale> units = {};          // regression: of each prediction; it is offset + scaled * range
  std::vector<std::string> names = {};    // of the predictions
  std::string target = {};                // classification: what the labels are of
  std::vector<std::string> classes = {};  // empty: a regression

  std::string brief = {};  // of the network, for comments
};

Program program_of(const Model& model);

}  // namespace strata::exported
