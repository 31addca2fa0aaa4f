#include "model/shared_source.h"

#include <algorithm>
#include <vector>

#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

// Numbers in this process's table, in its order.
std::vector<std::size_t> own_rows(const SharedTable& shared, std::span<const std::size_t> rows) {
  std::vector<std::size_t> own;
  for (const std::size_t row : rows)
    if (row >= shared.first_row && row - shared.first_row < shared.table.rows())
      own.push_back(row - shared.first_row);
  std::sort(own.begin(), own.end());
  return own;
}

}  // namespace

Preprocessor fit_preprocessor(const SharedSource& source, std::span<const std::size_t> rows,
                              const PreprocessOptions& options) {
  return Preprocessor::fit(source.shared->table, own_rows(*source.shared, rows), options, *source.processes);
}

// Each process encodes the rows it has, in the order of the file; then the rows go where their order wants them.
Dataset apply(const Preprocessor& preprocessor, const SharedSource& source,
              std::span<const std::size_t> rows) {
  const SharedTable& shared = *source.shared;
  const std::vector<std::size_t> usable =
      preprocessor.usable_rows(shared.table, own_rows(shared, rows), true);
  Dataset held = preprocessor.apply(shared.table, usable);

  std::vector<std::size_t> numbers(usable);  // in the whole table
  for (std::size_t& row : numbers) row += shared.first_row;
  std::vector<std::size_t> kept;  // the usable rows of all processes, in the order of the file
  for (const auto& part : all_to_all(*source.processes, std::vector(source.processes->size(), numbers)))
    kept.insert(kept.end(), part.begin(), part.end());
  held.first_row =
      static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), shared.first_row) - kept.begin());
  held.shared_rows = kept.size();

  std::vector<std::size_t> order;  // places in `kept`
  for (const std::size_t row : rows) {
    const auto at = std::lower_bound(kept.begin(), kept.end(), row);
    if (at != kept.end() && *at == row) order.push_back(static_cast<std::size_t>(at - kept.begin()));
  }
  return take_rows(held, order, *source.processes);
}

}  // namespace strata
