#pragma once

#include <string>

#include "strata/data/read.h"

namespace app {

// The rows of a query on an SQLite database as CSV text with a header, row by row: no more than a few are in memory. NULL is
// an empty cell. Refuses what is no database, no query that reads, or fails.
strata::ByteSource query_source(const std::string& file, const std::string& query);

}  // namespace app
