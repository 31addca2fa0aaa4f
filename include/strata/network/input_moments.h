#pragma once

#include <cstddef>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/network/architecture.h"

namespace strata {

// Which second moments of what enters a layer are kept, for a preconditioner: those between the rows of its weight matrix that are
// in one part, each part a dense matrix; of a single row its square. A dense layer has one part.
struct MomentParts {
  std::vector<std::vector<std::size_t>> dense;
  std::vector<std::size_t> single;

  [[nodiscard]] std::size_t size() const {  // numbers: the matrices one after the other, then the squares
    std::size_t sum = single.size();
    for (const auto& part : dense) sum += part.size() * part.size();
    return sum;
  }
};

MomentParts one_part(std::size_t rows);
MomentParts moment_parts(const Architecture& architecture, std::size_t layer);

// The moments themselves.
struct InputMoments {
  const MomentParts* parts = nullptr;
  const double* values = nullptr;

  [[nodiscard]] ConstMatrix first_part() const {
    return {values, parts->dense[0].size(), parts->dense[0].size()};
  }
};

}  // namespace strata
