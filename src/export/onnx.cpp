#include "strata/export/onnx.h"

#include <array>
#include <limits>

#include "core/json_text.h"
#include "export/onnx_features.h"
#include "export/onnx_graph.h"
#include "export/onnx_tables.h"
#include "export/program.h"
#include "strata/core/write_file.h"

namespace strata {

namespace exported {

namespace {

using Dims = std::vector<std::int64_t>;

OnnxAttribute axis(std::int64_t value) { return {.name = "axis", .value = value}; }

class OnnxWriter {
 public:
  explicit OnnxWriter(const Program& program) : program_(program) {}

  std::string write() {
    const OnnxFeatures features = onnx_features(program_, graph_);
    std::string sum;
    for (const std::vector<Step>& network : program_.networks) {
      std::string y = features.value;
      for (const Step& step : network) y = std::visit([&](const auto& each) { return apply(each, y); }, step);
      y = response(y);
      sum = sum.empty() ? y : graph_.node("Add", {sum, y});
    }
    if (program_.networks.size() > 1)
      sum = graph_.node("Div", {sum, graph_.number(static_cast<double>(program_.networks.size()))});
    outputs(sum, features.without_prediction);
    return graph_.bytes("strata", program_.brief);
  }

 private:
  // --- Layers

  std::string apply(const Dense& step, const std::string& x) {
    const auto rows = static_cast<std::int64_t>(step.weights.rows());
    const auto width = static_cast<std::int64_t>(step.weights.columns());
    const std::span<const double> weights(step.weights.data(), step.weights.rows() * step.weights.columns());
    // Gemm, not MatMul: onnxruntime fuses a MatMul with a scaling that follows, and keeps the factor in single precision.
    std::vector<std::string> inputs{x, graph_.constant(weights, {rows, width})};
    if (!step.bias.empty()) inputs.push_back(graph_.row(step.bias));
    const std::string y = graph_.node("Gemm", inputs);
    return activate(step.activation, y);
  }

  // The squared distance by products, of x with itself, with the centres, and of these with themselves.
  std::string apply(const Radial& step, const std::string& x) {
    const auto rows = static_cast<std::int64_t>(step.centres.rows());
    const std::vector<double> factors(step.centres.rows(), step.factor);
    const std::string own =
        graph_.node("Gemm", {graph_.node("Mul", {x, x}), graph_.constant(factors, {rows, 1})});
    std::vector<double> crossed, squares(step.centres.columns());
    for (std::size_t k = 0; k < step.centres.rows(); ++k)
      for (std::size_t i = 0; i < squares.size(); ++i) {
        const double c = step.centres(k, i);
        crossed.push_back(-2 * step.factor * c);
        squares[i] += step.factor * c * c;
      }
    const std::string weights = graph_.constant(crossed, {rows, static_cast<std::int64_t>(squares.size())});
    const std::string rest = graph_.node("Gemm", {x, weights, graph_.row(squares)});
    return activate(step.activation, graph_.node("Add", {own, rest}));
  }

  std::string apply(const Tables& step, const std::string& x) {
    return activate(step.activation, tables_.apply(step, x));
  }

  std::string activate(Activation activation, const std::string& a) {
    return graph_.expression(info_of(activation).onnx, a);
  }

  // --- From outputs to predictions

  std::string response(std::string y) {
    if (program_.temperature != 1) y = graph_.node("Div", {y, graph_.number(program_.temperature)});
    switch (program_.link) {
      case Link::identity: break;
      case Link::quantiles:
        if (program_.levels > 1) y = quantiles(y);
        break;
      case Link::exponential:
        y = graph_.node("Exp", {graph_.node("Min", {y, graph_.number(largest_exponent)})});
        break;
      case Link::logistic:
        return graph_.node("Sigmoid", {graph_.node("Concat", {graph_.node("Neg", {y}), y}, {axis(1)})});
      case Link::softmax: return graph_.node("Softmax", {y}, {axis(1)});
    }
    std::vector<double> offsets, ranges;
    for (const Scale& scale : program_.units) {
      offsets.push_back(scale.offset);
      ranges.push_back(scale.range);
    }
    return graph_.node("Add", {graph_.row(offsets), graph_.node("Mul", {y, graph_.row(ranges)})});
  }

  std::string quantiles(const std::string& y) {
    const auto levels = static_cast<std::int64_t>(program_.levels);
    const auto targets = static_cast<std::int64_t>(program_.units.size()) / levels;
    const std::string split = graph_.node("Reshape", {y, graph_.constant(Dims{-1, targets, levels})});
    std::vector<double> first(program_.levels, 0);
    first.front() = 1;
    const std::string is_first =
        graph_.node("Greater", {graph_.constant(first, {1, 1, levels}), graph_.number(0.5)});
    const std::string steps = graph_.node("Where", {is_first, split, activate(Activation::softplus, split)});
    const std::string sums = graph_.node("CumSum", {steps, graph_.constant(Dims{2})});
    return graph_.node("Reshape", {sums, graph_.constant(Dims{-1, targets * levels})});
  }

  void outputs(std::string prediction, const std::string& gone) {
    const auto width = static_cast<std::int64_t>(program_.names.size());
    if (!gone.empty())
      prediction =
          graph_.node("Where", {gone, graph_.number(std::numeric_limits<double>::quiet_NaN()), prediction});
    graph_.metadata("strata.columns", JsonText().value(program_.names).text());
    if (program_.classes.empty())
      return graph_.output(graph_.free_name("prediction"), OnnxType::number, {-1, width}, prediction);
    const std::string best = graph_.node("ArgMax", {prediction}, {axis(1), {.name = "keepdims", .value = 0}});
    std::string label = graph_.node("Gather", {graph_.constant(program_.classes, {width}), best}, {axis(0)});
    if (!gone.empty()) {
      const std::string nothing[] = {""};
      const std::string rows =
          graph_.node("Squeeze", {gone, graph_.constant(std::array<std::int64_t, 1>{1})});
      label = graph_.node("Where", {rows, graph_.constant(nothing, {1}), label});
    }
    graph_.output(graph_.free_name("label"), OnnxType::text, {-1}, label);
    graph_.output(graph_.free_name("probabilities"), OnnxType::number, {-1, width}, prediction);
  }

  const Program& program_;
  OnnxGraph graph_;
  OnnxTables tables_{graph_};
};

}  // namespace

}  // namespace exported

std::string onnx_bytes(const Model& model) {
  return exported::OnnxWriter(exported::program_of(model)).write();
}

void export_onnx(const Model& model, const std::filesystem::path& path) {
  write_file_atomically(path, onnx_bytes(model));
}

}  // namespace strata
