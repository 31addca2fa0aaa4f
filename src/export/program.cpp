#include "export/program.h"

#include <fmt/format.h>

#include <limits>

#include "kernels/kernels.h"
#include "network/feature_layer.h"
#include "strata/core/errors.h"
#include "strata/model/predict.h"

namespace strata::exported {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

std::vector<double> as_numbers(const std::vector<std::string>& categories) {
  std::vector<double> numbers;
  for (const std::string& category : categories) numbers.push_back(std::stod(category));
  return numbers;
}

// A date is given as its parts: a person counts months, days and weekdays from 1.
void add_date(const ColumnEncoding& column, std::size_t feature, bool expanded, std::vector<Field>& fields) {
  if (column.parts.empty())
    throw InvalidOption(
        "export", column.name,
        "every training row has the same date, which cannot be exported; train without the column");
  for (const DatePart part : column.parts) {
    Field field{
        .name = fmt::format("{} {}", column.name, to_string(part)), .feature = feature, .of_date = true};
    field.optional = part != column.parts.front();
    field.fill = expanded ? 0 : no_value;
    if (part == DatePart::year) {
      field.scale = column.scale;
      if (expanded) field.fill = column.scale.apply(column.fill_number);
    } else {
      field.period = period_of(part);
      field.origin = part == DatePart::hour ? 0 : 1;
    }
    feature += field.value_width();
    fields.push_back(std::move(field));
  }
}

// The number of features is returned.
std::size_t add_fields(const ColumnEncoding& column, std::size_t feature, bool expanded,
                       std::vector<Field>& fields) {
  const std::size_t first = fields.size();
  const std::size_t features = expanded ? column.features() : column.columns().size();
  const bool date = column.encoded == ColumnType::date;
  if (date) {
    add_date(column, feature, expanded, fields);
  } else if (column.encoded == ColumnType::numeric) {
    fields.push_back({.name = column.name,
                      .feature = feature,
                      .scale = column.scale,
                      .fill = expanded ? column.scale.apply(column.fill_number) : no_value});
  } else {
    Field field{.name = column.name,
                .feature = feature,
                .category = true,
                .coded = !expanded,
                .categories = column.categories};
    if (column.raw == ColumnType::numeric) field.numbers = as_numbers(column.categories);
    field.fill_category = static_cast<std::size_t>(column.fill_category);
    fields.push_back(std::move(field));
  }
  if (column.indicator && (expanded || date)) fields[first].indicator = feature + features - 1;
  return features;
}

// A bias is the last row of a layer's weights.
std::span<const double> bias_of(const Network& network, std::size_t l) {
  const ConstMatrix all = network.layer(l);
  return network.architecture().has_bias(l) ? all.row(all.rows() - 1) : std::span<const double>{};
}

Dense dense(const Network& network, std::size_t l) {
  const ConstMatrix all = network.layer(l);
  const std::span<const double> bias = bias_of(network, l);
  return {.weights = {all.data(), all.rows() - (bias.empty() ? 0 : 1), all.columns()},
          .bias = bias,
          .activation = network.architecture().activation_of(l)};
}

// The weights are slopes and steps; what is exported are the entries at the knots.
Tables tables(const Network& network) {
  const Architecture& architecture = network.architecture();
  Vector space;
  const ConstMatrix read =
      FeatureLayer<double>(architecture, simd_kernels()).as_read(network.layer(0), space);
  Tables made{.columns = architecture.columns,
              .entries = {},
              .outputs = read.columns(),
              .bias = bias_of(network, 0),
              .activation = architecture.activation_of(0)};
  for (std::size_t r = 0; r < read.rows() - (made.bias.empty() ? 0 : 1); ++r)
    made.entries.insert(made.entries.end(), read.row(r).begin(), read.row(r).end());
  return made;
}

Step first_step(const Network& network) {
  const Architecture& architecture = network.architecture();
  if (!architecture.columns.empty()) return tables(network);
  if (!architecture.is_radial(0)) return dense(network, 0);
  return Radial{.centres = network.layer(0),
                .factor = architecture.radial_factor(),
                .activation = architecture.activation_of(0)};
}

std::vector<Step> steps_of(const Network& network) {
  std::vector<Step> steps{first_step(network)};
  for (std::size_t l = 1; l < network.layers(); ++l) steps.emplace_back(dense(network, l));
  return steps;
}

}  // namespace

std::vector<double> inverse_gaps(const ColumnBasis& column) {
  std::vector<double> inverse;
  for (std::size_t k = 0; k + 1 < column.knots.size(); ++k)
    inverse.push_back(1 / knot_distance(column.knots[k], column.knots[k + 1]));
  return inverse;
}

Program program_of(const Model& model) {
  const Preprocessor& preprocessor = model.preprocessor;
  Program program;
  const bool expanded = preprocessor.layout().expand;
  for (const ColumnEncoding& column : preprocessor.inputs())
    program.features += add_fields(column, program.features, expanded, program.fields);
  program.fills_missing = preprocessor.missing() == MissingPolicy::impute;
  program.takes_unseen = preprocessor.unseen() == UnseenPolicy::zeros;
  for (const Network& network : model.networks) program.networks.push_back(steps_of(network));
  program.brief = model.architecture().brief();

  program.link = loss_info(model.loss.name).link;
  program.names = predicted_names(model);
  program.classes = preprocessor.classes();
  if (!program.classes.empty()) {
    program.temperature = model.temperature;
    program.target = preprocessor.target_names().front();
    return program;
  }
  program.levels = model.architecture().outputs / preprocessor.outputs();
  for (std::size_t k = 0; k < program.names.size(); ++k)
    program.units.push_back(preprocessor.target().columns()[k / program.levels].scale);
  return program;
}

}  // namespace strata::exported
