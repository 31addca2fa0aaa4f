#include "export/program.h"

#include <fmt/format.h>

#include "strata/core/errors.h"
#include "strata/core/option_text.h"
#include "strata/model/predict.h"

namespace strata::exported {

namespace {

std::vector<double> as_numbers(const std::vector<std::string>& categories) {
  std::vector<double> numbers;
  for (const std::string& category : categories) numbers.push_back(std::stod(category));
  return numbers;
}

// A date is given as its parts: a person counts months, days and weekdays from 1.
void add_date(const ColumnEncoding& column, std::size_t feature, std::vector<Field>& fields) {
  if (column.parts.empty())
    throw InvalidOption(
        "export", column.name,
        "every training row has the same date, which cannot be exported; train without the column");
  for (const DatePart part : column.parts) {
    Field field{
        .name = fmt::format("{} {}", column.name, to_string(part)), .feature = feature, .of_date = true};
    field.optional = part != column.parts.front();
    if (part == DatePart::year) {
      field.scale = column.scale;
      field.fill = column.fill_number;
    } else {
      field.period = period_of(part);
      field.origin = part == DatePart::hour ? 0 : 1;
    }
    feature += field.value_width();
    fields.push_back(std::move(field));
  }
}

void add_fields(const ColumnEncoding& column, std::size_t feature, std::vector<Field>& fields) {
  const std::size_t first = fields.size();
  if (column.encoded == ColumnType::date) {
    add_date(column, feature, fields);
  } else if (column.encoded == ColumnType::numeric) {
    fields.push_back(
        {.name = column.name, .feature = feature, .scale = column.scale, .fill = column.fill_number});
  } else {
    Field field{.name = column.name, .feature = feature, .category = true, .categories = column.categories};
    if (column.raw == ColumnType::numeric) field.numbers = as_numbers(column.categories);
    field.fill_category = static_cast<std::size_t>(column.fill_category);
    fields.push_back(std::move(field));
  }
  if (column.indicator) fields[first].indicator = feature + column.features() - 1;
}

// A bias is the last row of a layer's weights.
Dense dense(const Network& network, std::size_t l) {
  const Architecture& architecture = network.architecture();
  const ConstMatrix all = network.layer(l);
  const bool bias = architecture.has_bias(l);
  return {.weights = {all.data(), all.rows() - (bias ? 1 : 0), all.columns()},
          .bias = bias ? all.row(all.rows() - 1) : std::span<const double>{},
          .activation = architecture.activation_of(l)};
}

std::vector<Step> steps_of(const Network& network) {
  std::vector<Step> steps;
  for (std::size_t l = 0; l < network.layers(); ++l) steps.emplace_back(dense(network, l));
  return steps;
}

Link link_of(const LossChoice& loss) {
  if (loss.name == "squared" || loss.name == "huber") return Link::identity;
  if (loss.name == "quantile") return Link::quantiles;
  if (loss.name == "poisson") return Link::exponential;
  if (loss.name == "logistic") return Link::logistic;
  if (loss.name == "softmax") return Link::softmax;
  throw InvalidOption("loss", loss.name, "a model of this loss cannot be exported");
}

}  // namespace

Program program_of(const Model& model) {
  if (!model.architecture().columns.empty())
    throw InvalidOption("knots", model.architecture().brief(),
                        "a model whose first layer has tables cannot be exported; train one with " +
                            option_text("knots", "0"));
  const Preprocessor& preprocessor = model.preprocessor;
  Program program;
  for (const ColumnEncoding& column : preprocessor.inputs()) {
    add_fields(column, program.features, program.fields);
    program.features += column.features();
  }
  program.fills_missing = preprocessor.missing() == MissingPolicy::impute;
  program.takes_unseen = preprocessor.unseen() == UnseenPolicy::zeros;
  for (const Network& network : model.networks) program.networks.push_back(steps_of(network));
  program.brief = model.architecture().brief();

  program.link = link_of(model.loss);
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
