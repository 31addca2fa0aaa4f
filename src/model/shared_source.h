#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/row_classes.h"
#include "strata/data/preprocess.h"
#include "strata/data/shared_table.h"
#include "strata/parallel/communicator.h"

namespace strata {

// Rows that processes share, a SharedTable or SharedNumbers, where the steps from rows to data are all of theirs: they
// name the same rows, by their numbers in the whole table, and each ends with an even part of the data.
template <class Shared>
struct SharedSource {
  const Shared* shared;
  Communicator* processes;
  [[nodiscard]] std::size_t rows() const { return shared->all_rows; }
};

template <class Shared>
Preprocessor fit_preprocessor(const SharedSource<Shared>& source, std::span<const std::size_t> rows,
                              const PreprocessOptions& options, std::vector<std::string>& notices);

template <class Shared>
RowClasses row_classes(const SharedSource<Shared>& source, const PreprocessOptions& options);

// The data that one process would make of these rows, in their order.
template <class Shared>
Dataset apply(const Preprocessor& preprocessor, const SharedSource<Shared>& source,
              std::vector<std::size_t> rows);

}  // namespace strata
