#pragma once

#include <gtest/gtest.h>

#include "strata/core/errors.h"
#include "strata/objective/packed_rows.h"
#include "strata/parallel/engine.h"

namespace strata::testing_support {

// Rows on an engine of their own.
struct RowsOnEngine {
  explicit RowsOnEngine(const Dataset& data, std::size_t threads = 1)
      : engine({.threads = threads}), rows(data, engine), taken(engine.memory()) {}

  // Nothing but the rows, and so many bytes, fits: what could be kept is computed anew.
  RowsOnEngine& leave(std::size_t bytes) {
    EXPECT_TRUE(taken.grow_to(engine.memory().left() - bytes));
    return *this;
  }

  Engine engine;
  PackedRows rows;
  MemoryShare taken;
};

// Calls work(engine) with so little memory that less would be refused, or the rows kept in single precision: enough for these,
// and for nothing else.
template <class Work>
auto on_least_memory(const Dataset& data, const Work& work) {
  for (std::size_t bytes = 512;; bytes += bytes / 16) {
    Engine engine({.memory = bytes});
    try {
      if (PackedRows(data, engine).storage() != PackedRows::Storage::doubles) continue;
      return work(engine);
    } catch (const InvalidOption& refusal) {
      if (std::string_view(refusal.what()).find("memory") == std::string_view::npos) throw;
    }
  }
}

}  // namespace strata::testing_support
