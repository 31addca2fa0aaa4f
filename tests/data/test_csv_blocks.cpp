#include "data/csv_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "strata/core/errors.h"
#include "strata/core/random.h"
#include "support/files.h"

namespace strata {
namespace {

using support::gzipped;
using support::refusal;
using support::TemporaryDirectory;

std::string cells_of(const Table& table) {
  std::string all;
  for (const Column& column : table.columns) {
    all += column.name + (column.type == ColumnType::numeric ? ": numbers" : ": texts");
    for (std::size_t row = 0; row < column.size(); ++row) all += "|" + column.text(row);
    for (const std::string& category : column.categories) all += ";" + category;
  }
  for (const std::size_t line : table.lines) all += " " + std::to_string(line);
  return all;
}

std::string random_rows(std::size_t rows) {
  RandomStream random(5);
  const char* const words[] = {"red", "\"dark, blue\"", "\"two\nlines\"", "\"say \"\"hi\"\"\"", "", "NA"};
  std::string text = "number,word,late,\"quoted\nname\"\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += std::to_string(random.uniform(-1, 1)) + "," + words[random.below(6)] + ",";
    text += row < rows / 2 || random.below(2) == 0 ? std::to_string(row) : "text" + std::to_string(row % 7);
    text += ",7" + std::string(row % 10 == 3 ? "\r\n\n" : "\n");
  }
  return text;
}

// Whatever the blocks cut through: numbers, quoted line ends, columns that turn out to be text in the last block.
TEST(CsvBlocks, GiveTheTableOfTheWholeText) {
  const TemporaryDirectory directory;
  const std::string random = random_rows(300);
  for (const std::string& text :
       {std::string("a,b\n1,2\n3,4\n"), std::string("a,b\n1,2\n3,4"), std::string("1;2\r\n3;4\r\n"),
        std::string("\xef\xbb\xbf"
                    "a\n1\n\n\n2\n"),
        random, random.substr(0, random.size() - 1)}) {
    const auto path = directory.file("t.csv", text);
    const std::string whole = cells_of(parse_csv(text, path.string()));
    for (const std::size_t block : {6U, 7U, 20U, 31U, 64U, 1000U, 4096U})
      if (const auto table = read_csv_in_blocks(path, {}, block)) {
        EXPECT_EQ(cells_of(*table), whole) << block;
      }
    EXPECT_TRUE(read_csv_in_blocks(path, {}, 6).has_value() || text.find('\n') >= 6);
  }
}

TEST(CsvBlocks, RefuseWhatTheWholeTextIsRefusedFor) {
  const TemporaryDirectory directory;
  for (const std::string text :
       {"a,b\n1,2\n3\n4,5\n", "a,b\n1,2\n3,4,5\n", "a,a\n1,2\n3,4\n", "a,b\n1,1e999\n2,3\n",
        "a,b\n\n\n\n\n\n\n\n\n",
        "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n1\n2\n3\n4\n5\n6\n7\n8\n9\n1\n2\n3\n4\n5\n6\n7\n8\noops\n"}) {
    const auto path = directory.file("t.csv", text);
    const std::string whole = refusal<DataError>([&] { parse_csv(text, path.string()); });
    for (const std::size_t block : {4U, 9U}) {
      EXPECT_EQ(refusal<DataError>([&] { (void)read_csv_in_blocks(path, {}, block); }), whole);
    }
  }
}

TEST(CsvBlocks, LeaveOtherFilesToOthers) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(read_csv_in_blocks(directory.file("short.csv", "a\n1\n"), {}, 100));
  EXPECT_FALSE(read_csv_in_blocks(directory.file("t.csv.gz", gzipped(random_rows(50))), {}, 10));
  EXPECT_FALSE(read_csv_in_blocks(directory.file("old.csv", "a\r1\r2\r3\r4\r5\r6\r7\r"), {}, 10));
  EXPECT_FALSE(read_csv_in_blocks(directory.path() / "missing.csv", {}, 10));
}

}  // namespace
}  // namespace strata
