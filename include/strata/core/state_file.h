#pragma once

#include <string_view>

#include "strata/core/state.h"
#include "strata/core/tensor_file.h"

namespace strata {

// A state among the contents of a file: its numbers and integers become tensors, its texts metadata, all with names that
// begin with `name` and a slash; parts are set off by slashes too. The rest of the file is left alone.
void put_state(TensorFile& file, std::string_view name, const State& state);
State get_state(const TensorFile& file, std::string_view name);  // refuses a file without one (DataError)

}  // namespace strata
