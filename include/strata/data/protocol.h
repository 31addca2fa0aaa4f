#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "strata/data/dataset.h"
#include "strata/data/preprocess.h"

namespace strata {

// The seven data sets on which Palagi & Seccia ("Block Layer Decomposition schemes for training Deep Neural
// Networks") report results, from their public files: which columns, which encoding, how many rows train and test.
struct ProtocolData {
  Dataset train;
  Dataset test;
  Preprocessor preprocessor;
  std::vector<std::string> feature_names;  // without the constant column, which the network adds
};

std::vector<std::string> protocol_names();  // ailerons, mv, california, bike, beijing, ccpp, bank
std::filesystem::path protocol_file(std::string_view name);  // the file in the raw directory

// Refuses a file that is not, byte for byte, the one the protocol was written for.
void check_protocol_file(std::string_view name, const std::filesystem::path& raw_directory);

// Inputs and target scaled to [0, 1] over all rows, as in the paper, or otherwise; rows shuffled by the seed, then
// split. The file is checked first.
ProtocolData load_protocol(std::string_view name, const std::filesystem::path& raw_directory,
                           std::uint64_t seed, Scaling scaling = Scaling::minmax);

}  // namespace strata
