#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "strata/data/preprocess.h"
#include "strata/model/conformal.h"
#include "strata/model/loss_choice.h"
#include "strata/network/network.h"

namespace strata {

// Everything that turns raw rows into predictions, and how it came about. It has one network, or several members of the
// same architecture: their predictions are averaged on the scale of the response, in the target's units or as probabilities.
struct Model {
  std::vector<Network> networks;
  Preprocessor preprocessor;
  std::string training = "{}";     // a JSON object: how the network was trained
  LossChoice loss = {};            // how outputs become predictions
  double temperature = 1;          // outputs of a classification are divided by it first, > 0
  ConformalScores conformal = {};  // for intervals

  [[nodiscard]] const Architecture& architecture() const { return networks.front().architecture(); }
};

// One file in the layout of safetensors, described in docs/model-format.md. Writing is all or nothing (see
// write_file_atomically), and a network that was read predicts the same bits as the one that was written.
void save_model(const std::filesystem::path& path, const Model& model);

// Refuses, by a DataError in one sentence, what is damaged, of another kind or from a newer version.
Model load_model(const std::filesystem::path& path);

// The same for bytes in memory; `name` stands for the file in messages.
std::string model_bytes(const Model& model);
Model parse_model(std::string_view bytes, const std::string& name);

// Architecture, inputs with their encodings and scales, targets and the training record as one JSON object.
std::string inspect_json(const Model& model);

}  // namespace strata
