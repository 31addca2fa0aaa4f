#include "strata/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "strata/model/predict.h"
#include "support/bytes.h"
#include "support/files.h"
#include "support/models.h"
#include "support/reference_model.h"

namespace strata {
namespace {

using nlohmann::json;
using support::contents_of;
using support::house_model;
using support::houses;
using support::refusal;
using support::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

Model round_trip(const Model& model) {
  const TemporaryDirectory directory;
  save_model(directory.path() / "model", model);
  return load_model(directory.path() / "model");
}

std::vector<double> predictions(const Model& model) {
  const Dataset data = model.preprocessor.apply_inputs(houses());
  std::vector<double> outputs(data.rows * model.preprocessor.outputs());
  const Vector features = feature_rows(data);
  model.networks.front().predict({features.data(), data.rows, data.features()},
                                 {outputs.data(), data.rows, model.preprocessor.outputs()});
  return outputs;
}

TEST(Model, PredictsTheSameBitsAfterARoundTrip) {
  const Model model = house_model();
  const Model read = round_trip(model);
  EXPECT_EQ(read.networks.front().architecture(), model.networks.front().architecture());
  EXPECT_TRUE(std::ranges::equal(read.networks.front().weights(), model.networks.front().weights()));
  EXPECT_EQ(read.preprocessor, model.preprocessor);
  EXPECT_EQ(read.training, model.training);
  EXPECT_EQ(predictions(read), predictions(model));
}

TEST(Model, KeepsEveryKindOfArchitecture) {
  const Preprocessor preprocessor = Preprocessor::fit(
      houses(),
      {.targets = {"price", "area"}, .missing = MissingPolicy::drop, .unseen = UnseenPolicy::zeros});
  for (const Bias bias : {Bias::none, Bias::input, Bias::per_layer})
    for (const Architecture& shape :
         {Architecture{.hidden = {}},
          Architecture{.hidden = {6}, .activation = Activation::gaussian, .radial_width = 0.7},
          Architecture{.hidden = {3, 1, 4},
          .activations = {Activation::silu, Activation::elu, Activation::linear}}}) {
      Architecture architecture = shape;
      architecture.inputs = preprocessor.features();
      architecture.outputs = 2;
      architecture.bias = bias;
      const Model model{{testing_support::random_network(architecture)}, preprocessor};
      const Model read = round_trip(model);
      EXPECT_EQ(read.networks.front().architecture(), architecture);
      EXPECT_EQ(predictions(read), predictions(model));
    }
}

// The format may not drift unseen, neither in what is read nor in what is written.
TEST(Model, ReadsTheFileWrittenByHand) {
  const TemporaryDirectory directory;
  const Model model = load_model(directory.file("model", support::reference_model()));
  EXPECT_EQ(model.training, R"({"method":"by hand"})");
  std::istringstream rows(support::reference_rows);
  std::ostringstream out;
  EXPECT_EQ(predict_csv(model, rows, "rows", out), 3U);
  EXPECT_EQ(out.str(), support::reference_predictions);
}

TEST(Model, WritesTheFileWrittenByHandByteForByte) {
  const TemporaryDirectory directory;
  const Model model = load_model(directory.file("by-hand", support::reference_model()));
  save_model(directory.path() / "again", model);
  const std::string written = contents_of(directory.path() / "again");
  const std::string checksum =
      written.substr(written.find("crc32:"), 14);  // test_tensor_file.cpp computes one
  EXPECT_EQ(written, support::reference_model(checksum));
}

TEST(Model, ShowsWhatItHolds) {
  const TemporaryDirectory directory;
  const Model model = load_model(directory.file("model", support::reference_model()));
  const json shown = json::parse(inspect_json(model));
  EXPECT_EQ(shown["schema"], 1);
  EXPECT_EQ(shown["architecture"]["brief"], "2-2-1 relu");
  EXPECT_EQ(shown["architecture"]["hidden"], json({2}));
  EXPECT_EQ(shown["architecture"]["weights"], 9);
  EXPECT_EQ(shown["inputs"][0]["name"], "x");
  EXPECT_EQ(shown["inputs"][0]["offset"], 10);
  EXPECT_EQ(shown["inputs"][1]["categories"], json({"a", "b"}));
  EXPECT_EQ(shown["targets"][0]["range"], 50);
  EXPECT_EQ(shown["missing"], "refuse");
  EXPECT_EQ(shown["training"]["method"], "by hand");
}

TEST(Model, RefusesToSaveWhatCouldNotBeRead) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "model";
  Model model = house_model();
  model.training = "[1]";
  EXPECT_THAT(refusal<InvalidOption>([&] { save_model(path, model); }), HasSubstr("give a JSON object"));
  model.training = "{";
  EXPECT_THAT(refusal<Error>([&] { save_model(path, model); }), HasSubstr("the training record is not JSON"));
  const Model wrong{{Network({.inputs = 3})}, house_model().preprocessor};
  EXPECT_THAT(refusal<Error>([&] { save_model(path, wrong); }),
              HasSubstr("3 inputs and 1 outputs does not fit"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace strata
