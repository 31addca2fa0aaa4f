#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/protobuf.h"

namespace strata::exported {

// Element types of tensors, with the numbers that ONNX gives them.
enum class OnnxType { int64 = 7, text = 8, number = 11 };

struct OnnxAttribute {
  std::string_view name;
  std::int64_t value;
};

// A graph that grows node by node. A value is known by its name; every node and constant gets a fresh one.
class OnnxGraph {
 public:
  // dims: -1 stands for the number of rows.
  std::string input(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims);
  void output(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims,
              const std::string& value);

  std::string node(std::string_view op, const std::vector<std::string>& inputs,
                   const std::vector<OnnxAttribute>& attributes = {});

  std::string constant(std::span<const double> values, const std::vector<std::int64_t>& dims);
  std::string constant(std::span<const std::int64_t> values);
  std::string constant(std::span<const std::string> values, const std::vector<std::int64_t>& dims);
  std::string row(std::span<const double> values) {
    return constant(values, {1, static_cast<std::int64_t>(values.size())});
  }
  std::string number(double value) { return constant(std::span(&value, 1), {}); }

  // Nodes for a formula of the value `a`: numbers, and operators with their inputs in brackets, as in Max(a, Mul(a, 0.01)).
  std::string expression(std::string_view formula, const std::string& a);

  std::string as_number(const std::string& value) {
    return node("Cast", {value}, {{.name = "to", .value = static_cast<std::int64_t>(OnnxType::number)}});
  }

  // A name that no input has.
  [[nodiscard]] std::string free_name(std::string name) const;

  void metadata(std::string_view key, std::string_view value) { metadata_.emplace_back(key, value); }
  [[nodiscard]] std::string bytes(std::string_view graph_name, std::string_view description) const;

 private:
  static Message value_info(const std::string& name, OnnxType type, const std::vector<std::int64_t>& dims);
  std::string add_constant(OnnxType type, const std::vector<std::int64_t>& dims, const Message& content);
  std::string fresh();

  std::vector<std::string> input_names_;
  std::vector<Message> inputs_, outputs_, nodes_, constants_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  std::size_t values_ = 0;
};

}  // namespace strata::exported
