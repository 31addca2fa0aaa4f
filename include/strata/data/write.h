#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "strata/data/dataset.h"
#include "strata/data/table.h"

namespace strata {

// A text as a cell of a CSV file: in quotes where a reader would misunderstand it.
std::string csv_cell(std::string_view text);

// CSV with a header line, commas, and every number in the shortest form that reads back to the same bits. Missing cells
// are empty. read_table gives the same table back.
void write_csv(std::ostream& out, const Table& table);

// The same for numbers: one name for each feature, then one for each output.
void write_csv_header(std::ostream& out, std::span<const std::string> names);
void write_csv_rows(std::ostream& out, const Dataset& data);

}  // namespace strata
