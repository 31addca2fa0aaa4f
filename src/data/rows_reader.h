#pragma once

#include <memory>
#include <string>

#include "data/text.h"
#include "strata/data/read.h"

namespace strata {

// The reader of a packed file. `name` stands for it in messages. A table that takes more than options.memory stays in the file,
// mapped, and says so in a notice.
std::unique_ptr<TableReader> read_rows_file(File file, std::string name, const ReadOptions& options);

}  // namespace strata
