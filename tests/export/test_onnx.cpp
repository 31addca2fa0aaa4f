// The bytes of ONNX graphs: read as onnx.proto says, every value is made before it is used. What the graphs compute is compared
// with onnxruntime in python/tests/test_export.py.
#include "strata/export/onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

#include "export/models.h"
#include "support/bytes.h"
#include "support/files.h"

namespace strata {
namespace {

using support::ExportCase;

// The fields of a message: numbers, and texts or messages, in their order.
struct Fields {
  std::multimap<int, std::uint64_t> numbers;
  std::multimap<int, std::string> texts;

  explicit Fields(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t key = varint(bytes);
      const auto field = static_cast<int>(key >> 3);
      if ((key & 7) == 0) {
        numbers.emplace(field, varint(bytes));
        continue;
      }
      if ((key & 7) != 2) throw std::runtime_error("no field of these messages has such a type");
      const std::uint64_t length = varint(bytes);
      texts.emplace(field, bytes.substr(0, length));
      if (length > bytes.size()) throw std::runtime_error("a field ends after its message");
      bytes.remove_prefix(length);
    }
  }

  [[nodiscard]] std::vector<std::string> all(int field) const {
    std::vector<std::string> found;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) found.push_back(at->second);
    return found;
  }
  [[nodiscard]] std::string text(int field) const { return all(field).at(0); }
  [[nodiscard]] std::uint64_t number(int field) const { return numbers.find(field)->second; }

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (bytes.empty()) throw std::runtime_error("a number ends after its message");
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127U) << shift;
      if (byte < 128) return value;
    }
  }
};

// Operators and how many inputs they may have.
const std::map<std::string, std::pair<std::size_t, std::size_t>> operators{
    {"Abs", {1, 1}},       {"Add", {2, 2}},     {"ArgMax", {1, 1}},  {"Cast", {1, 1}},
    {"Concat", {1, 99}},   {"CumSum", {2, 2}},  {"Div", {2, 2}},     {"Equal", {2, 2}},
    {"Exp", {1, 1}},       {"Gather", {2, 2}},  {"Gemm", {2, 3}},    {"Greater", {2, 2}},
    {"Identity", {1, 1}},  {"IsNaN", {1, 1}},   {"Log", {1, 1}},     {"Max", {1, 99}},
    {"Min", {1, 99}},      {"Mul", {2, 2}},     {"Neg", {1, 1}},     {"Relu", {1, 1}},
    {"Reshape", {2, 2}},   {"Sigmoid", {1, 1}}, {"Softmax", {1, 1}}, {"Squeeze", {1, 2}},
    {"Sub", {2, 2}},       {"Tanh", {1, 1}},    {"Where", {3, 3}},   {"Clip", {1, 3}},
    {"ReduceMax", {1, 2}}, {"Sin", {1, 1}},     {"Sqrt", {1, 1}},
};

// A tensor has as many values as its sizes say; its name is returned.
std::string check_constant(const Fields& tensor) {
  std::uint64_t values = 1;
  for (auto [at, end] = tensor.numbers.equal_range(1); at != end; ++at) values *= at->second;
  const bool texts = tensor.number(2) == 8;
  EXPECT_EQ(texts ? tensor.all(6).size() : tensor.text(9).size() / 8, values);
  return tensor.text(8);
}

// Names of the operators, in their order.
std::vector<std::string> check_graph(const Fields& graph) {
  std::set<std::string> known;
  for (const std::string& input : graph.all(11)) EXPECT_TRUE(known.insert(Fields(input).text(1)).second);
  for (const std::string& constant : graph.all(5))
    EXPECT_TRUE(known.insert(check_constant(Fields(constant))).second);
  std::vector<std::string> used;
  for (const std::string& bytes : graph.all(1)) {
    const Fields node(bytes);
    used.push_back(node.text(4));
    const auto inputs = node.all(1);
    const auto allowed = operators.find(used.back());
    if (allowed == operators.end()) {
      ADD_FAILURE() << used.back();
      continue;
    }
    EXPECT_GE(inputs.size(), allowed->second.first) << used.back();
    EXPECT_LE(inputs.size(), allowed->second.second) << used.back();
    for (const std::string& input : inputs) EXPECT_TRUE(known.contains(input)) << input;
    for (const std::string& output : node.all(2)) EXPECT_TRUE(known.insert(output).second) << output;
  }
  for (const std::string& output : graph.all(12)) EXPECT_TRUE(known.contains(Fields(output).text(1)));
  return used;
}

Fields graph_of(const Model& model) { return Fields(Fields(onnx_bytes(model)).text(7)); }

TEST(Onnx, EveryValueIsMadeBeforeItIsUsedByAnOperatorThatIsKnown) {
  for (const ExportCase& each : support::export_cases()) {
    SCOPED_TRACE(each.name);
    check_graph(graph_of(each.model));
  }
}

TEST(Onnx, ClassesAreALabelAndProbabilitiesAndNumbersAPrediction) {
  for (const ExportCase& each : support::export_cases()) {
    std::vector<std::string> outputs;
    for (const std::string& output : graph_of(each.model).all(12)) outputs.push_back(Fields(output).text(1));
    if (each.model.loss.name == "softmax" || each.model.loss.name == "logistic")
      EXPECT_THAT(outputs, testing::ElementsAre("label", "probabilities")) << each.name;
    else
      EXPECT_THAT(outputs, testing::ElementsAre("prediction")) << each.name;
  }
}

TEST(Onnx, FileHasTheBytes) {
  const support::TemporaryDirectory directory;
  const Model model = support::export_cases().front().model;
  const std::filesystem::path path = directory.path() / "m.onnx";
  export_onnx(model, path);
  EXPECT_EQ(support::contents_of(path), onnx_bytes(model));
}

}  // namespace
}  // namespace strata
