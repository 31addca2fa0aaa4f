#include "strata/data/write.h"

#include <gtest/gtest.h>

#include <sstream>

#include "strata/data/generators.h"
#include "strata/data/read.h"

namespace strata {
namespace {

std::string written(const Table& table) {
  std::ostringstream out;
  write_csv(out, table);
  return out.str();
}

TEST(WriteCsv, WhatIsWrittenReadsBackToTheSameBits) {
  const Table table = housing({.rows = 200, .seed = 3});
  const Table again = parse_csv(written(table), "again");
  ASSERT_EQ(again.names(), table.names());
  for (const Column& column : table.columns) {
    EXPECT_EQ(again.column(column.name).numbers, column.numbers);
    EXPECT_EQ(again.column(column.name).codes, column.codes);
    EXPECT_EQ(again.column(column.name).categories, column.categories);
  }
  const Table thirds{
      .columns = {numeric_column("a", {1.0 / 3, 1e-300, -0.1}), numeric_column("b", {1, 2, 3})}};
  EXPECT_EQ(parse_csv(written(thirds), "again").columns[0].numbers, thirds.columns[0].numbers);
}

TEST(WriteCsv, TextThatWouldBeCutIsQuotedAndMissingCellsAreEmpty) {
  const Table table{.columns = {numeric_column("size, m", {1, Column::missing_number}),
                                nominal_column("kind", {"a \"b\"", "c;d"}, {0, 1})}};
  EXPECT_EQ(written(table), "\"size, m\",kind\n1,\"a \"\"b\"\"\"\n,\"c;d\"\n");
}

TEST(WriteCsv, NumbersOfADatasetStandInRowsInputsFirst) {
  Dataset data(2, 2, 1);
  data.inputs = {1, 3, 2, 4};
  data.targets = {0.5, 0.25};
  std::ostringstream out;
  const std::vector<std::string> names{"a", "b", "y"};
  write_csv_header(out, names);
  write_csv_rows(out, data);
  EXPECT_EQ(out.str(), "a,b,y\n1,2,0.5\n3,4,0.25\n");
}

}  // namespace
}  // namespace strata
