#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/columns.h"
#include "data/record_pieces.h"
#include "strata/data/read.h"

namespace strata {

// What the beginning of a text says about the rows that follow.
struct TextHead {
  Dialect dialect;
  std::vector<ColumnDeclaration> columns;
  std::vector<std::string> outputs = {};  // declared by the file
  TextStyle style = {};                   // as given, with what was detected and other files must share
  std::vector<std::string> notices = {};
};

// Each leaves the pieces at the first row.
TextHead read_csv_head(RecordPieces& pieces, const std::string& file, const ReadOptions& options);
TextHead read_attribute_head(RecordPieces& pieces, const std::string& file, const ReadOptions& options);

bool begins_with_attributes(
    std::string_view text);  // ARFF and KEEL: the first line that is no comment has an @

}  // namespace strata
