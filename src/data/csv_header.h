#pragma once

#include <string>
#include <vector>

#include "data/cells.h"
#include "data/columns.h"
#include "data/record_pieces.h"
#include "data/text.h"
#include "strata/data/read.h"

namespace strata {

// What a CSV text says of itself, found in its first records. Shared by the readers of whole files and of pieces.
struct CsvHeader {
  std::vector<ColumnDeclaration> columns;  // names alone
  bool present = false;  // false: the first record is a row, and the names are column1, column2, ...
};

char csv_separator(const Text& text, const ReadOptions& options);

// Reads the first record, which may be a row.
CsvHeader read_csv_header(const Text& text, CellReader& reader, const ReadOptions& options);

// The same at the beginning of a stream, whose next piece is then the first row.
struct CsvHead {
  char separator = ',';
  std::vector<ColumnDeclaration> columns;
};
CsvHead read_csv_head(RecordPieces& pieces, const std::string& file, const ReadOptions& options);

}  // namespace strata
