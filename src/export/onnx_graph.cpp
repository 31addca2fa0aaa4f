#include "export/onnx_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "strata/export/onnx.h"

namespace strata::exported {

namespace {

// Fields of the messages in onnx.proto that are used here.
namespace field {
enum Model { ir_version = 1, producer_name = 2, graph = 7, opset_import = 8, metadata_props = 14 };
enum OperatorSet { domain = 1, version = 2 };
enum Entry { key = 1, value = 2 };
enum Graph { node = 1, name = 2, initializer = 5, doc_string = 10, graph_input = 11, graph_output = 12 };
enum Node { node_input = 1, node_output = 2, op_type = 4, attribute = 5 };
enum Attribute { attribute_name = 1, i = 3, attribute_type = 20 };
enum Tensor { dims = 1, data_type = 2, string_data = 6, tensor_name = 8, raw_data = 9 };
enum ValueInfo { info_name = 1, info_type = 2 };
enum Type { tensor_type = 1 };
enum TensorType { elem_type = 1, shape = 2 };
enum Shape { dim = 1 };
enum Dimension { dim_value = 1, dim_param = 2 };
}  // namespace field

constexpr int int_attribute = 2;

// Raw data are little-endian.
template <class T>
std::string raw(std::span<const T> values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned byte = 0; byte < 8; ++byte) bytes += static_cast<char>(bits >> (8 * byte));
  }
  return bytes;
}

Message attribute_of(const OnnxAttribute& attribute) {
  return Message()
      .text(field::attribute_name, attribute.name)
      .whole(field::i, attribute.value)
      .whole(field::attribute_type, int_attribute);
}

}  // namespace

std::string OnnxGraph::fresh() { return free_name(fmt::format("v{}", values_++)); }

std::string OnnxGraph::free_name(std::string name) const {
  while (std::ranges::find(input_names_, name) != input_names_.end()) name += '_';
  return name;
}

Message OnnxGraph::value_info(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims) {
  Message shape;
  for (const std::int64_t size : dims)
    shape.message(field::dim, size < 0 ? Message().text(field::dim_param, "rows")
                                       : Message().whole(field::dim_value, size));
  const Message tensor =
      Message().whole(field::elem_type, static_cast<int>(type)).message(field::shape, shape);
  return Message()
      .text(field::info_name, name)
      .message(field::info_type, Message().message(field::tensor_type, tensor));
}

std::string OnnxGraph::input(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims) {
  input_names_.push_back(name);
  inputs_.push_back(value_info(name, type, dims));
  return name;
}

void OnnxGraph::output(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims,
                       const std::string& value) {
  outputs_.push_back(value_info(name, type, dims));
  nodes_.push_back(Message()
                       .text(field::node_input, value)
                       .text(field::node_output, name)
                       .text(field::op_type, "Identity"));
}

std::string OnnxGraph::node(std::string_view op, const std::vector<std::string>& inputs,
                            const std::vector<OnnxAttribute>& attributes) {
  Message made;
  for (const std::string& input : inputs) made.text(field::node_input, input);
  std::string name = fresh();
  made.text(field::node_output, name).text(field::op_type, op);
  for (const OnnxAttribute& attribute : attributes) made.message(field::attribute, attribute_of(attribute));
  nodes_.push_back(std::move(made));
  return name;
}

std::string OnnxGraph::add_constant(OnnxType type, const std::vector<std::int64_t>& dims,
                                    const Message& content) {
  Message made;
  for (const std::int64_t size : dims) made.whole(field::dims, size);
  std::string name = fresh();
  made.whole(field::data_type, static_cast<int>(type)).text(field::tensor_name, name);
  constants_.push_back(std::move(made.append(content)));
  return name;
}

std::string OnnxGraph::constant(std::span<const double> values, const std::vector<std::int64_t>& dims) {
  return add_constant(OnnxType::number, dims, Message().text(field::raw_data, raw(values)));
}

std::string OnnxGraph::constant(std::span<const std::int64_t> values) {
  return add_constant(OnnxType::int64, {static_cast<std::int64_t>(values.size())},
                      Message().text(field::raw_data, raw(values)));
}

std::string OnnxGraph::constant(std::span<const std::string> values, const std::vector<std::int64_t>& dims) {
  Message content;
  for (const std::string& value : values) content.text(field::string_data, value);
  return add_constant(OnnxType::text, dims, content);
}

std::string OnnxGraph::expression(std::string_view formula, const std::string& a) {
  if (formula == "a") return a;
  const std::size_t bracket = formula.find('(');
  if (bracket == std::string_view::npos) {
    double value = 0;
    std::from_chars(formula.data(), formula.data() + formula.size(), value);
    return number(value);
  }
  std::vector<std::string> inputs;
  int depth = 0;
  for (std::size_t first = bracket + 1, i = first; i < formula.size(); ++i) {
    if ((formula[i] == ',' && depth == 0) || i + 1 == formula.size()) {
      inputs.push_back(expression(formula.substr(first, i - first), a));
      first = i + 2;  // behind the comma and its blank
    }
    if (formula[i] == '(') ++depth;
    if (formula[i] == ')') --depth;
  }
  return node(formula.substr(0, bracket), inputs);
}

std::string OnnxGraph::bytes(std::string_view graph_name, std::string_view description) const {
  Message graph;
  for (const Message& node : nodes_) graph.message(field::node, node);
  graph.text(field::name, graph_name);
  for (const Message& constant : constants_) graph.message(field::initializer, constant);
  graph.text(field::doc_string, description);
  for (const Message& input : inputs_) graph.message(field::graph_input, input);
  for (const Message& output : outputs_) graph.message(field::graph_output, output);
  Message model;
  model.whole(field::ir_version, onnx_ir).text(field::producer_name, "strata").message(field::graph, graph);
  model.message(field::opset_import, Message().text(field::domain, "").whole(field::version, onnx_opset));
  for (const auto& [key, value] : metadata_)
    model.message(field::metadata_props, Message().text(field::key, key).text(field::value, value));
  return model.bytes();
}

}  // namespace strata::exported
