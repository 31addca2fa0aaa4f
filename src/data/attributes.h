#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/columns.h"
#include "data/text.h"

namespace strata {

// What stands before @data in an ARFF or KEEL file: both describe columns by @attribute lines.
struct AttributeHeader {
  std::vector<ColumnDeclaration> columns;
  std::vector<std::string> inputs;   // KEEL's @inputs; empty when not given
  std::vector<std::string> outputs;  // KEEL's @outputs
  const char* data = nullptr;        // where the rows begin
  std::size_t data_line = 0;
};

inline constexpr Dialect attribute_dialect{.separator = ',', .single_quotes = true, .comment = '%'};

AttributeHeader read_attributes(const Text& text);

// The rows after the header; refuses the sparse form of ARFF.
Table read_rows(const Text& text, const AttributeHeader& header);

}  // namespace strata
