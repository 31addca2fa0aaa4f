#include "export/onnx_features.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <numeric>

namespace strata::exported {

namespace {

class FeatureWriter {
 public:
  FeatureWriter(const Program& program, OnnxGraph& graph) : program_(program), graph_(graph) {}

  OnnxFeatures write() {
    const std::string all = features();
    return {.value = all, .without_prediction = without_prediction_.empty() ? "" : refused_rows()};
  }

 private:
  // Some features, side by side, and their numbers.
  struct Part {
    std::string value = {};
    std::vector<std::size_t> features = {};
  };

  std::string features() {
    scaled_numbers();
    angles();
    for (const Field& field : program_.fields)
      if (field.category) category(field);
    std::vector<std::string> values;
    std::vector<std::size_t> order;
    for (const Part& part : parts_) {
      values.push_back(part.value);
      order.insert(order.end(), part.features.begin(), part.features.end());
    }
    const std::string all = side_by_side(values);
    if (std::ranges::is_sorted(order)) return all;
    std::vector<std::int64_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::int64_t>(k);
    return columns(all, place);
  }

  std::string side_by_side(const std::vector<std::string>& values) {
    return values.size() == 1 ? values.front()
                              : graph_.node("Concat", values, {{.name = "axis", .value = 1}});
  }
  std::string columns(const std::string& value, std::span<const std::int64_t> which) {
    return graph_.node("Gather", {value, graph_.constant(which)}, {{.name = "axis", .value = 1}});
  }

  // Some numbers side by side: where there is nothing else they are one input, X, with a column for each.
  std::string numbers(const std::vector<Field>& fields) {
    const auto count = static_cast<std::int64_t>(fields.size());
    if (fields.size() == program_.fields.size() && std::ranges::none_of(fields, &Field::of_date))
      return graph_.input("X", OnnxType::number, {-1, count});
    std::vector<std::string> inputs;
    for (const Field& field : fields) inputs.push_back(graph_.input(field.name, OnnxType::number, {-1, 1}));
    return side_by_side(inputs);
  }

  std::vector<Field> fields_where(bool angle) const {
    std::vector<Field> fields;
    for (const Field& field : program_.fields)
      if (!field.category && angle == (field.period > 0)) fields.push_back(field);
    return fields;
  }

  std::string row_of(const std::vector<Field>& fields, const auto& value) {
    std::vector<double> values;
    for (const Field& field : fields) values.push_back(value(field));
    return graph_.row(values);
  }

  std::string filled(const std::vector<Field>& fields, const std::string& missing, const std::string& value) {
    return graph_.node("Where",
                       {missing, row_of(fields, [](const Field& field) { return field.fill; }), value});
  }

  // Indicators, and rows that are refused.
  void missing_numbers(const std::vector<Field>& fields, const std::string& missing) {
    std::vector<std::int64_t> required, indicated;
    Part indicators;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (!fields[k].optional) required.push_back(static_cast<std::int64_t>(k));
      if (!fields[k].indicator) continue;
      indicated.push_back(static_cast<std::int64_t>(k));
      indicators.features.push_back(*fields[k].indicator);
    }
    if (!program_.fills_missing && !required.empty())
      without_prediction_.push_back(columns(graph_.as_number(missing), required));
    if (indicated.empty()) return;
    indicators.value = columns(graph_.as_number(missing), indicated);
    parts_.push_back(indicators);
  }

  void scaled_numbers() {
    const std::vector<Field> fields = fields_where(false);
    if (fields.empty()) return;
    const std::string value = numbers(fields);
    const std::string missing = graph_.node("IsNaN", {value});
    const std::string offsets = row_of(fields, [](const Field& field) { return field.scale.offset; });
    // A constant column has range 0 and becomes 0.
    const std::string ranges = row_of(fields, [](const Field& field) {
      return field.scale.range == 0 ? std::numeric_limits<double>::infinity() : field.scale.range;
    });
    const std::string scaled = graph_.node("Div", {graph_.node("Sub", {value, offsets}), ranges});
    const std::string low = graph_.number(-Scale::farthest), high = graph_.number(Scale::farthest);
    Part part{.value = filled(fields, missing, graph_.node("Clip", {scaled, low, high}))};
    for (const Field& field : fields) part.features.push_back(field.feature);
    parts_.push_back(part);
    missing_numbers(fields, missing);
  }

  void angles() {
    const std::vector<Field> fields = fields_where(true);
    if (fields.empty()) return;
    const std::string value = numbers(fields);
    const std::string missing = graph_.node("IsNaN", {value});
    const std::string turns = graph_.node(
        "Div", {graph_.node("Sub", {value, row_of(fields, [](const Field& field) { return field.origin; })}),
                row_of(fields, [](const Field& field) { return field.period; })});
    const std::string angle = graph_.node("Mul", {turns, graph_.number(2 * std::numbers::pi)});
    for (const std::size_t quarter : {0, 1}) {
      const std::string moved =
          graph_.node("Add", {angle, graph_.number(static_cast<double>(quarter) * std::numbers::pi / 2)});
      Part part{.value = filled(fields, missing, graph_.node("Sin", {moved}))};
      for (const Field& field : fields) part.features.push_back(field.feature + quarter);
      parts_.push_back(part);
    }
    missing_numbers(fields, missing);
  }

  void category(const Field& field) {
    const bool text = field.numbers.empty();
    const auto values = [&](std::size_t first, std::size_t count) {
      const std::vector<std::int64_t> dims{1, static_cast<std::int64_t>(count)};
      return text ? graph_.constant(std::span(field.categories).subspan(first, count), dims)
                  : graph_.constant(std::span(field.numbers).subspan(first, count), dims);
    };
    std::string value = graph_.input(field.name, text ? OnnxType::text : OnnxType::number, {-1, 1});
    const std::string nothing[] = {""};
    const std::string missing = text ? graph_.node("Equal", {value, graph_.constant(nothing, {1, 1})})
                                     : graph_.node("IsNaN", {value});
    if (program_.fills_missing && !field.coded)
      value = graph_.node("Where", {missing, values(field.fill_category, 1), value});
    if (!program_.fills_missing) without_prediction_.push_back(graph_.as_number(missing));
    const std::size_t count = field.categories.size();
    const std::string hot = graph_.as_number(graph_.node("Equal", {value, values(0, count)}));
    if (!program_.takes_unseen) {
      const std::string any =
          graph_.node("ReduceMax", {hot, graph_.constant(std::array<std::int64_t, 1>{1})});
      const std::string none = graph_.node("Sub", {graph_.number(1), any});
      without_prediction_.push_back(field.coded ? graph_.node("Where", {missing, graph_.number(0), none})
                                                : none);
    }
    if (field.coded) {
      parts_.push_back({code_of(hot, missing, count), {field.feature}});
      return;
    }
    Part part{.value = hot, .features = std::vector<std::size_t>(field.value_width())};
    std::iota(part.features.begin(), part.features.end(), field.feature);
    if (count == 2) part.value = columns(hot, std::array<std::int64_t, 1>{1});
    if (count == 1) part.value = graph_.node("Mul", {hot, graph_.number(0)});
    parts_.push_back(part);
    if (field.indicator) parts_.push_back({graph_.as_number(missing), {*field.indicator}});
  }

  // From a 0/1 column for each category to its number; their count where there is none.
  std::string code_of(const std::string& hot, const std::string& missing, std::size_t count) {
    std::vector<double> below(count);
    std::iota(below.begin(), below.end(), -static_cast<double>(count));
    const auto rows = static_cast<std::int64_t>(count);
    const std::string code = graph_.node(
        "Gemm", {hot, graph_.constant(below, {rows, 1}), graph_.row(std::array{static_cast<double>(count)})});
    return graph_.node("Where", {missing, graph_.number(std::numeric_limits<double>::quiet_NaN()), code});
  }

  std::string refused_rows() {
    const std::string most = graph_.node(
        "ReduceMax", {side_by_side(without_prediction_), graph_.constant(std::array<std::int64_t, 1>{1})});
    return graph_.node("Greater", {most, graph_.number(0.5)});
  }

  const Program& program_;
  OnnxGraph& graph_;
  std::vector<Part> parts_;
  std::vector<std::string> without_prediction_;  // rows x some columns: 1 where a row has none
};

}  // namespace

OnnxFeatures onnx_features(const Program& program, OnnxGraph& graph) {
  return FeatureWriter(program, graph).write();
}

}  // namespace strata::exported
