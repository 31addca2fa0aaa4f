// From a model and rows with targets to what its page shows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "strata/core/random.h"
#include "strata/model/importance.h"
#include "strata/model/metrics.h"
#include "strata/model/predict.h"
#include "study/page.h"
#include "study/report.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_dots = 800;    // of a scatter chart
constexpr std::size_t most_classes = 30;  // of a confusion table
constexpr std::size_t inputs_shown = 4;   // partial dependence on so many, the most important ones
constexpr std::size_t worst_shown = 10;

// Rows, and the networks that are to predict them.
struct Part {
  Model model;
  Table rows;
  std::size_t first;  // of the rows, in all of them
};

std::vector<Part> parts_of(const Model& model, const ReportRows& shown) {
  if (shown.parts.empty()) return {{model, shown.table, 0}};
  std::vector<Part> parts;
  std::size_t first = 0;
  auto network = model.networks.begin();
  for (const ReportRows::Part& part : shown.parts) {
    std::vector<std::size_t> rows(part.rows);
    std::iota(rows.begin(), rows.end(), first);
    Model members = model;
    const auto next = network + static_cast<std::ptrdiff_t>(part.networks);
    members.networks.assign(network, next);
    network = next;
    parts.push_back({std::move(members), take_rows(shown.table, rows), first});
    first += rows.size();
  }
  return parts;
}

// Predictions and true values of the rows that have both.
struct Predictions {
  const Model& model;
  const Table& rows;
  const Column& target = rows.column(model.preprocessor.target_names().front());  // the first
  std::vector<std::string> classes = model.preprocessor.classes();
  std::size_t width = predicted_columns(model);
  std::vector<double> out = {};          // rows x width
  std::vector<std::size_t> usable = {};  // rows without a missing target or prediction

  Predictions(const Model& given, const ReportRows& shown, Engine& engine) : model(given), rows(shown.table) {
    out.resize(rows.rows() * width);
    for (const Part& part : parts_of(given, shown))
      predict(part.model, part.rows, {out.data() + part.first * width, part.rows.rows(), width}, engine);
    for (std::size_t row = 0; row < rows.rows(); ++row)
      if (!target.is_missing(row) && !std::isnan(out[row * width])) usable.push_back(row);
  }

  // Of the k-th target; with several quantiles, the level nearest to the median.
  [[nodiscard]] double point(std::size_t row, std::size_t k) const {
    const std::vector<double>& levels = model.loss.options.levels;
    if (model.loss.name != "quantile" || levels.size() < 2) return out[row * width + k];
    const auto middle = std::min_element(levels.begin(), levels.end(), [](double a, double b) {
      return std::abs(a - 0.5) < std::abs(b - 0.5);
    });
    return out[row * width + k * levels.size() + static_cast<std::size_t>(middle - levels.begin())];
  }
  [[nodiscard]] double probability(std::size_t row, std::size_t k) const { return out[row * width + k]; }
  [[nodiscard]] std::size_t most_probable(std::size_t row) const {
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(row * width);
    return static_cast<std::size_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(width)) -
                                    first);
  }
  [[nodiscard]] std::size_t class_of(std::size_t row) const {
    return static_cast<std::size_t>(std::ranges::find(classes, target.text(row)) - classes.begin());
  }
};

Json errors_of(const Metrics& metrics) {
  Json errors = Json::object();  // a null that cannot become one for want of memory is freed all the same
  for (const Figure& figure : figures(metrics)) {
    Json values = Json::array();
    for (const double value : figure.values) values.push_back(number_or_null(value));
    errors[std::string(figure.title)] = values;
  }
  return errors;
}

std::vector<std::size_t> some_of(const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> drawn = RandomStream(1).permutation(rows.size());
  drawn.resize(std::min(drawn.size(), most_dots));
  for (std::size_t& place : drawn) place = rows[place];
  return drawn;
}

Json scatter(const Predictions& predictions) {
  Json targets = Json::array();
  const std::vector<std::string> names = predictions.model.preprocessor.target_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Column& target = predictions.rows.column(names[k]);
    if (target.type != ColumnType::numeric) continue;  // a two-valued text that is regressed
    Json points = Json::array();
    for (const std::size_t row : some_of(predictions.usable))
      points.push_back({number_or_null(target.numbers[row]), number_or_null(predictions.point(row, k))});
    targets.push_back({{"name", names[k]}, {"points", points}});
  }
  return targets;
}

// Of the second of two classes: share of its rows found against share of the others taken for it, at every threshold.
Json operating_characteristic(const Predictions& predictions) {
  std::vector<std::pair<double, bool>> ranked;
  for (const std::size_t row : predictions.usable)
    ranked.emplace_back(predictions.probability(row, 1), predictions.class_of(row) == 1);
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
  const auto positives =
      static_cast<double>(std::count_if(ranked.begin(), ranked.end(), [](auto& r) { return r.second; }));
  const double negatives = static_cast<double>(ranked.size()) - positives;
  if (positives == 0 || negatives == 0) return nullptr;
  Json curve = Json::array({Json::array({0, 0})});
  double found = 0;
  double wrong = 0;
  const std::size_t step = std::max<std::size_t>(1, ranked.size() / 200);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    (ranked[i].second ? found : wrong) += 1;
    const bool tied = i + 1 < ranked.size() && ranked[i + 1].first == ranked[i].first;
    if (!tied && (i % step == 0 || i + 1 == ranked.size()))
      curve.push_back({wrong / negatives, found / positives});
  }
  return curve;
}

// Mean probability of the predicted class against the share of rows that are of it, in bins of equal width.
Json calibration(const Predictions& predictions) {
  constexpr std::size_t bins = 10;
  std::vector<double> sums(bins), right(bins), counts(bins);
  for (const std::size_t row : predictions.usable) {
    const std::size_t chosen = predictions.most_probable(row);
    const double p = predictions.probability(row, chosen);
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(p * static_cast<double>(bins)));
    sums[bin] += p;
    right[bin] += chosen == predictions.class_of(row) ? 1 : 0;
    ++counts[bin];
  }
  Json points = Json::array();
  for (std::size_t bin = 0; bin < bins; ++bin)
    if (counts[bin] > 0) points.push_back({sums[bin] / counts[bin], right[bin] / counts[bin], counts[bin]});
  return points;
}

// The mean over parts of the rows, each as much as it has rows.
Importances importances(const Model& model, const ReportRows& shown, Engine& engine) {
  Importances mean;
  for (const Part& part : parts_of(model, shown)) {
    const Importances found = permutation_importance(part.model, part.rows, {}, engine);
    const auto share = static_cast<double>(part.rows.rows()) / static_cast<double>(shown.table.rows());
    mean.error = found.error;
    mean.value += share * found.value;
    mean.rows += found.rows;
    for (const Importance& input : found.inputs) {
      auto same = std::ranges::find(mean.inputs, input.input, &Importance::input);
      if (same == mean.inputs.end()) same = mean.inputs.insert(same, {.input = input.input});
      same->increase += share * input.increase;
      same->spread += share * input.spread;
    }
  }
  std::ranges::stable_sort(mean.inputs, std::greater<>(), &Importance::increase);
  return mean;
}

Json importance_of(const Importances& found) {
  Json inputs = Json::array();
  for (const Importance& input : found.inputs)
    inputs.push_back({{"name", input.input},
                      {"increase", number_or_null(input.increase)},
                      {"spread", number_or_null(input.spread)}});
  return {{"error", found.error},
          {"value", number_or_null(found.value)},
          {"rows", found.rows},
          {"inputs", inputs}};
}

Json dependence(const Predictions& predictions, const Importances& found, Engine& engine) {
  Json charts = Json::array();
  for (std::size_t i = 0; i < std::min(inputs_shown, found.inputs.size()); ++i) {
    const std::string& input = found.inputs[i].input;
    const bool numeric = predictions.rows.column(input).type == ColumnType::numeric;
    Json points = Json::array();
    for (const DependencePoint& point :
         partial_dependence(predictions.model, predictions.rows, input, 20, engine))
      points.push_back({numeric ? Json(point.value) : Json(point.text), number_or_null(point.response)});
    charts.push_back({{"name", input}, {"numeric", numeric}, {"points", points}});
  }
  return charts;
}

// How far off the prediction of a row is.
double error_of_row(const Predictions& predictions, std::size_t row) {
  if (!predictions.classes.empty()) {
    const std::size_t own = predictions.class_of(row);
    return own < predictions.width ? 1 - predictions.probability(row, own) : 1;
  }
  const Column& target = predictions.target;
  return target.type == ColumnType::numeric ? std::abs(target.numbers[row] - predictions.point(row, 0)) : 0;
}

Json worst_rows(const Predictions& predictions) {
  std::vector<std::size_t> order = predictions.usable;
  std::vector<double> errors(predictions.rows.rows());
  for (const std::size_t row : order) errors[row] = error_of_row(predictions, row);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  order.resize(std::min(worst_shown, order.size()));
  const std::vector<std::string> inputs = predictions.model.preprocessor.input_names();
  Json rows = Json::array();
  for (const std::size_t row : order) {
    Json values = Json::array();
    for (const std::string& input : inputs) values.push_back(predictions.rows.column(input).text(row));
    rows.push_back(
        {{"line", predictions.rows.lines.empty() ? row + 1 : predictions.rows.lines[row]},
         {"truth", predictions.target.text(row)},
         {"predicted", predictions.classes.empty() ? fmt::format("{:.6g}", predictions.point(row, 0))
                                                   : predictions.classes[predictions.most_probable(row)]},
         {"values", values}});
  }
  return {{"inputs", inputs}, {"rows", rows}};
}

}  // namespace

std::string model_report(const Model& model, const ReportRows& rows, Engine& engine) {
  const Predictions predictions(model, rows, engine);
  const Metrics metrics = rows.metrics ? *rows.metrics : evaluate(model, rows.table, engine);
  const Importances found = importances(model, rows, engine);
  Json page{{"kind", "model"},
            {"name", rows.name},
            {"task", predictions.classes.empty() ? "regression" : "classification"},
            {"targets", model.preprocessor.target_names()},
            {"rows", metrics.rows},
            {"training", Json::parse(model.training)},
            {"errors", errors_of(metrics)},
            {"importance", importance_of(found)},
            {"dependence", dependence(predictions, found, engine)},
            {"worst", worst_rows(predictions)}};
  if (predictions.classes.empty()) {
    page["scatter"] = scatter(predictions);
  } else {
    page["classes"] = predictions.classes;
    if (predictions.classes.size() == 2) page["roc"] = operating_characteristic(predictions);
    page["calibration"] = calibration(predictions);
    if (predictions.classes.size() <= most_classes) page["confusion"] = metrics.classes->confusion_rows();
  }
  return report_page(page);
}

}  // namespace strata
