#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "strata/core/tensor_file.h"
#include "strata/model/metrics.h"
#include "strata/model/model.h"
#include "support/bytes.h"
#include "support/files.h"
#include "support/models.h"
#include "support/reference_model.h"

namespace strata {
namespace {

using support::reference_model;
using support::refusal;
using support::TemporaryDirectory;
using testing::HasSubstr;
using testing::StartsWith;

std::string problem(const std::string& bytes) {
  const TemporaryDirectory directory;
  const auto path = directory.file("model", bytes);
  const std::string message = refusal<DataError>([&] { load_model(path); });
  EXPECT_THAT(message, StartsWith(path.string() + ": "));
  return message.substr(path.string().size() + 2);
}

// What is said of the reference model after a change.
template <class Change>
std::string problem_after(const Change& change) {
  TensorFile file = parse_tensor_file(reference_model(), "reference");
  change(file);
  return problem(tensor_file_bytes(file));
}

std::string problem_with(const std::string& key, const std::string& text) {
  return problem_after([&](TensorFile& file) { file.metadata[key] = text; });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string problem_in(const std::string& key, const std::string& from, const std::string& to) {
  return problem_after(
      [&](TensorFile& file) { file.metadata[key] = replaced(file.metadata[key], from, to); });
}

TEST(ModelRefusals, NameTheMetadataThatIsMissing) {
  for (const std::string key :
       {"strata.schema", "strata.architecture", "strata.preprocessing", "strata.training"})
    EXPECT_EQ(problem_after([&](TensorFile& file) { file.metadata.erase(key); }),
              "the metadata '" + key + "' is missing, so this is no model of Strata");
}

TEST(ModelRefusals, TellANewerFileFromADamagedOne) {
  EXPECT_EQ(problem_with("strata.schema", "4"), "made by a newer Strata: schema 4, this one reads 3");
  EXPECT_EQ(problem_with("strata.schema", "0"),
            "the metadata 'strata.schema' is '0' where this Strata reads 1 to 3");
  EXPECT_THAT(problem_with("strata.schema", "one"), HasSubstr("'one' where this Strata reads 1 to 3"));
  EXPECT_THAT(problem_with("strata.schema", "99999999999999999999"),
              HasSubstr("where this Strata reads 1 to 3"));
}

TEST(ModelRefusals, NameWhatIsWrongWithTheArchitecture) {
  const std::string key = "strata.architecture";
  EXPECT_EQ(problem_with(key, "{"),
            "the metadata 'strata.architecture' is not JSON, from byte 2 on; store it again");
  for (const auto& [from, to] : {std::pair{"\"inputs\":2", "\"inputs\":-2"},
                                 {"\"inputs\":2", "\"inputs\":2.0"},
                                 {"\"inputs\":2,", ""},
                                 {"[2]", "2"},
                                 {"[2]", "[\"2\"]"},
                                 {"\"relu\"", "1"}})
    EXPECT_EQ(problem_in(key, from, to),
              "the metadata 'strata.architecture' lacks a member or has one of another type")
        << to;
  EXPECT_THAT(problem_in(key, "\"relu\"", "\"step\""), HasSubstr("'activation' = 'step'"));
  EXPECT_THAT(problem_in(key, "per_layer", "some"), HasSubstr("'bias' = 'some'"));
  EXPECT_THAT(problem_in(key, "[2]", "[0]"), HasSubstr("every hidden layer needs at least one neuron"));
  EXPECT_EQ(problem_in(key, "\"inputs\":2", "\"inputs\":18446744073709551615"),
            "the network has 18446744073709551615 inputs and the preprocessing 2; the file is damaged");
  EXPECT_EQ(problem_in(key, "\"outputs\":1", "\"outputs\":2"),
            "the network has 2 outputs and the preprocessing 1; the file is damaged");
}

TEST(ModelRefusals, NameWhatIsWrongWithTheColumns) {
  const auto problem = [](const std::string& columns) {
    return problem_in("strata.architecture", "\"inputs\":2", "\"inputs\":2,\"columns\":" + columns);
  };
  const std::string scaled = R"({"kind":"scaled","knots":[],"categories":0,"missing":false})";
  EXPECT_THAT(problem("[" + scaled + "]"), HasSubstr("describe each of the 2 inputs"));
  EXPECT_THAT(problem("7"), HasSubstr("lacks a member or has one of another type"));
  EXPECT_THAT(problem("[" + scaled + ",{}]"), HasSubstr("lacks a member or has one of another type"));
  EXPECT_THAT(problem("[" + scaled + R"(,{"kind":"cubic","knots":[],"categories":0,"missing":false}])"),
              HasSubstr("'columns' = 'cubic'"));
  EXPECT_THAT(
      problem("[" + scaled + R"(,{"kind":"piecewise","knots":[2,1],"categories":0,"missing":false}])"),
      HasSubstr("use finite numbers that increase"));
  EXPECT_THAT(problem("[" + scaled +
                      R"(,{"kind":"category","knots":[],"categories":18446744073709551615,"missing":true}])"),
              HasSubstr("use fewer than 1e9 entries"));
  const auto with_sum = [&](const std::string& sum) {
    return problem("[" + scaled + "," + scaled +
                   R"(,{"kind":"scaled","knots":[],"categories":0,"missing":false,"sum":)" + sum + "}]");
  };
  EXPECT_THAT(with_sum(R"({"inputs":[0,2],"factors":[1,1]})"), HasSubstr("use inputs that are numbers"));
  EXPECT_THAT(with_sum(R"({"inputs":[0],"factors":[1,1]})"),
              HasSubstr("a sum has two inputs and two factors"));
  EXPECT_THAT(with_sum("[0,1]"), HasSubstr("lacks a member or has one of another type"));
  EXPECT_THAT(
      problem(
          "[" + scaled +
          R"(,{"kind":"scaled","knots":[],"categories":0,"missing":false,"sum":{"inputs":[0,1],"factors":[1,1]}},)" +
          scaled + "]"),
      HasSubstr("sums of inputs follow the columns of all inputs"));
  EXPECT_THAT(problem("[" + scaled + R"(,{"kind":"category","knots":[],"categories":5,"missing":true}])"),
              HasSubstr("'layer.0.weights' has the shape [3, 2] where the network has [8, 2]"));
}

TEST(ModelRefusals, NameTensorsThatDoNotFitTheArchitecture) {
  const std::string key = "strata.architecture";
  EXPECT_EQ(problem_in(key, "[2]", "[2,2]"),
            "the network has 3 layers and the file 2 tensors; the file is damaged");
  EXPECT_EQ(problem_in(key, "[2]", "[18446744073709551615]"),
            "tensor 'layer.0.weights' has the shape [3, 2] where the network has [3, 18446744073709551615]; "
            "the file is damaged");
  EXPECT_THAT(problem_in(key, "per_layer", "input"),
              HasSubstr("'layer.1.weights' has the shape [3, 1] where the network has [2, 1]"));
  EXPECT_EQ(problem_after([](TensorFile& file) { file.tensors[1].name = "w"; }),
            "there is no tensor 'layer.1.weights' in it");
  EXPECT_EQ(problem_after([](TensorFile& file) { file.tensors[1].values = std::vector<std::uint64_t>(3); }),
            "tensor 'layer.1.weights' holds integers where numbers are expected");
}

TEST(ModelRefusals, NameWhatIsWrongWithTheOtherTexts) {
  EXPECT_THAT(problem_with("strata.training", "7"), HasSubstr("'strata.training' is no JSON object"));
  EXPECT_THAT(problem_with("strata.training", "{\"a\":1,\"a\":2}"), HasSubstr("has the name 'a' twice"));
  EXPECT_THAT(problem_with("strata.preprocessing", "nothing"),
              HasSubstr("'strata.preprocessing' is not JSON"));
  EXPECT_THAT(problem_with("strata.preprocessing", "{}"), HasSubstr("'strata.preprocessing' cannot be used"));
  EXPECT_THAT(problem_in("strata.preprocessing", "\"format\":1", "\"format\":2"), HasSubstr("format 2"));
}

TEST(ModelRefusals, NameAWeightThatIsNotFinite) {
  using Limits = std::numeric_limits<double>;
  for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
    EXPECT_EQ(problem_after([&](TensorFile& file) { std::get<Vector>(file.tensors[1].values)[2] = bad; }),
              "tensor 'layer.1.weights' holds a weight that is not finite; the file is damaged, or its "
              "training failed");
}

TEST(ModelRefusals, NameAScaleThatCannotBe) {
  const std::string key = "strata.preprocessing";
  EXPECT_THAT(problem_in(key, "\"range\":4.0", "\"range\":-4.0"),
              HasSubstr("the scale of 'x' cannot be: offset 10, range -4"));
  EXPECT_THAT(problem_in(key, "\"range\":4.0", "\"range\":null"), HasSubstr("cannot be used"));
  EXPECT_THAT(problem_in(key, "\"fill\":11.0", "\"fill\":null"), HasSubstr("cannot be used"));
}

TEST(ModelRefusals, AConstantColumnIsNoFault) {
  TensorFile file = parse_tensor_file(reference_model(), "reference");
  file.metadata["strata.preprocessing"] =
      replaced(file.metadata["strata.preprocessing"], "\"range\":4.0", "\"range\":0.0");
  EXPECT_NO_THROW(parse_model(tensor_file_bytes(file), "x"));
}

TEST(ModelRefusals, NameAColumnThatIsListedTwice) {
  EXPECT_THAT(problem_in("strata.preprocessing", "\"name\":\"c\"", "\"name\":\"x\""),
              HasSubstr("the column 'x' is listed twice"));
}

TEST(ModelRefusals, WhatCouldNotBeReadIsNotSaved) {
  const TemporaryDirectory directory;
  const auto path = directory.file("model", "before");
  Model model = support::house_model();
  model.networks.front().weights()[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal<Error>([&] { save_model(path, model); }), HasSubstr("a weight that is not finite"));
  EXPECT_EQ(support::contents_of(path), "before");
}

TEST(ModelRefusals, AFlippedBitIsNoticedOrChangesNoPrediction) {
  const std::string bytes = model_bytes(support::house_model());
  const Table rows = support::houses();
  const std::vector<double> right = evaluate(parse_model(bytes, "right"), rows).rmse;
  int noticed = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string wrong = bytes;
    wrong[bit / 8] = static_cast<char>(static_cast<unsigned char>(wrong[bit / 8]) ^ (1U << (bit % 8)));
    try {
      EXPECT_EQ(evaluate(parse_model(wrong, "wrong"), rows).rmse, right) << bit;
    } catch (const DataError& problem) {
      EXPECT_THAT(problem.what(), StartsWith("wrong: "));
      ++noticed;
    }
  }
  EXPECT_GT(noticed,
            7.9 * static_cast<double>(bytes.size() -
                                      40));  // nearly all: a flip in the name of the checksum is harmless
}

// A target that takes more than one column would be written outside of the rows.
TEST(ModelRefusals, RefuseATargetOfSeveralColumns) {
  const std::string numeric =
      R"("encoded":"numeric","indicator":false,"offset":100.0,"range":50.0,"fill":120.0)";
  EXPECT_THAT(problem_in("strata.preprocessing", numeric,
                         R"("encoded":"nominal","indicator":false,"categories":["a","b","c"],"fill":0)"),
              HasSubstr("the target 'y' would become 3 columns"));
}

// A new name for every file: writing over an old one waits for the disk.
TEST(ModelRefusals, AFileCutAnywhereIsAnError) {
  const TemporaryDirectory directory;
  const std::string bytes = reference_model();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(load_model(directory.file(std::to_string(length), bytes.substr(0, length))), DataError)
        << length;
}

TEST(ModelRefusals, AnyWrongByteIsAnErrorOrAModelThatWorks) {
  const std::string bytes = reference_model();
  const Table rows = parse_csv("x,c,y\n12,b,1\n10,a,2\n", "rows");
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned flip : {0x01U, 0x20U, 0xffU}) {
      std::string wrong = bytes;
      wrong[at] = static_cast<char>(static_cast<unsigned char>(wrong[at]) ^ flip);
      try {
        const Model model = parse_model(wrong, "model");
        EXPECT_FALSE(inspect_json(model).empty());
        EXPECT_EQ(evaluate(model, rows).rows, 2U);
      } catch (const Error& problem) {
        EXPECT_STRNE(problem.what(), "");
      }
    }
}

TEST(ModelRefusals, NameAFileThatCannotBeWrittenAndKeepTheOldOne) {
  const TemporaryDirectory directory;
  const Model model = support::house_model();
  EXPECT_THAT(refusal<Error>([&] { save_model(directory.path() / "none" / "model", model); }),
              HasSubstr("create its directory first"));
  EXPECT_THAT(refusal<Error>([&] { save_model(directory.path(), model); }), HasSubstr("this is a directory"));
  EXPECT_THAT(refusal<Error>([&] { save_model("/dev/full", model); }), HasSubstr("No space left on device"));
  EXPECT_EQ(support::files_in(directory.path()), 0U);
}

}  // namespace
}  // namespace strata
