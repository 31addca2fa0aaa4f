#include "model/shared_source.h"

#include <algorithm>
#include <vector>

#include "strata/data/shared_rows.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

const Table& held_rows(const SharedTable& shared) { return shared.table; }
const Numbers& held_rows(const SharedNumbers& shared) { return shared.numbers; }

// Those of the rows that can be used, by their numbers in this process's part, in its order.
std::vector<std::size_t> usable_rows(const Preprocessor& preprocessor, const Table& table,
                                     const std::vector<std::size_t>& rows) {
  return preprocessor.usable_rows(table, rows, true);
}
std::vector<std::size_t> usable_rows(const Preprocessor& /*preprocessor*/, const Numbers& /*numbers*/,
                                     const std::vector<std::size_t>& rows) {
  return rows;
}

Preprocessor fit_held(const Table& table, std::span<const std::size_t> rows, const PreprocessOptions& options,
                      Communicator& processes, std::vector<std::string>& notices) {
  return Preprocessor::fit(table, rows, options, processes, &notices);
}
Preprocessor fit_held(const Numbers& numbers, std::span<const std::size_t> rows,
                      const PreprocessOptions& options, Communicator& processes,
                      std::vector<std::string>& /*notices*/) {
  return Preprocessor::fit(numbers, rows, options, processes);
}

// Numbers in this process's part, in its order.
template <class Shared>
std::vector<std::size_t> own_rows(const Shared& shared, std::span<const std::size_t> rows) {
  std::vector<std::size_t> own;
  for (const std::size_t row : rows)
    if (row >= shared.first_row && row - shared.first_row < held_rows(shared).rows())
      own.push_back(row - shared.first_row);
  std::sort(own.begin(), own.end());
  return own;
}

}  // namespace

template <class Shared>
Preprocessor fit_preprocessor(const SharedSource<Shared>& source, std::span<const std::size_t> rows,
                              const PreprocessOptions& options, std::vector<std::string>& notices) {
  return fit_held(held_rows(*source.shared), own_rows(*source.shared, rows), options, *source.processes,
                  notices);
}

template <class Shared>
RowClasses row_classes(const SharedSource<Shared>& source, const PreprocessOptions& options) {
  RowClasses classes = row_classes(held_rows(*source.shared), options, *source.processes);
  classes.codes = gathered(classes.codes, *source.processes);
  return classes;
}

// Each process encodes the rows it has, in the order of the file; then the rows go where their order wants them.
template <class Shared>
Dataset apply(const Preprocessor& preprocessor, const SharedSource<Shared>& source,
              std::vector<std::size_t> rows) {
  const Shared& shared = *source.shared;
  if (source.processes->alone()) return preprocessor.apply(held_rows(shared), std::move(rows));
  const std::vector<std::size_t> usable =
      usable_rows(preprocessor, held_rows(shared), own_rows(shared, rows));
  Dataset held = preprocessor.apply(held_rows(shared), usable);

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

template Preprocessor fit_preprocessor(const SharedSource<SharedTable>&, std::span<const std::size_t>,
                                       const PreprocessOptions&, std::vector<std::string>&);
template Preprocessor fit_preprocessor(const SharedSource<SharedNumbers>&, std::span<const std::size_t>,
                                       const PreprocessOptions&, std::vector<std::string>&);
template RowClasses row_classes(const SharedSource<SharedTable>&, const PreprocessOptions&);
template RowClasses row_classes(const SharedSource<SharedNumbers>&, const PreprocessOptions&);
template Dataset apply(const Preprocessor&, const SharedSource<SharedTable>&, std::vector<std::size_t>);
template Dataset apply(const Preprocessor&, const SharedSource<SharedNumbers>&, std::vector<std::size_t>);

}  // namespace strata
