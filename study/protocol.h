#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "strata/data/scale.h"
#include "strata/model/fit.h"

namespace strata {

// The seven data sets on which Palagi & Seccia ("Block Layer Decomposition schemes for training Deep Neural
// Networks") report results, from their public files: which columns, which encoding, how many rows train and test.
std::vector<std::string> protocol_names();  // ailerons, mv, california, bike, beijing, ccpp, bank
std::filesystem::path protocol_file(std::string_view name);  // the file in the raw directory

// Refuses a file that is not, byte for byte, the one the protocol was written for.
void check_protocol_file(std::string_view name, const std::filesystem::path& raw_directory);

// Inputs and target scaled to [0, 1] over all rows, as in the paper, or otherwise; rows shuffled by the seed, then
// split. Runs of the paper's protocol leave the seed alone: they differ in their initial weights only. The file is
// checked first.
FitData load_protocol(std::string_view name, const std::filesystem::path& raw_directory,
                      Scaling scaling = Scaling::minmax, std::uint64_t seed = 1);

// The paper's settings: bias at the input, weights uniform on (-0.5, 0.5), r = 1e-3/(n P), no validation.
FitOptions paper_options();

}  // namespace strata
