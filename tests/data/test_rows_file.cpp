#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "strata/data/pack.h"
#include "strata/data/preprocess.h"
#include "strata/data/read.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using support::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t group = 131072;  // rows, of a table of few columns

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class RowsFile : public testing::Test {
 protected:
  std::filesystem::path packed(const std::string& text, const ReadOptions& options = {}) {
    const std::filesystem::path out = directory.path() / "rows.strata-rows";
    pack_table(directory.file("rows.csv", text), out, options);
    return out;
  }
  std::string problem(const std::string& text, const ReadOptions& options = {}) {
    return refusal<DataError>([&] { packed(text, options); });
  }
  std::filesystem::path changed(std::string bytes) { return directory.file("changed.strata-rows", bytes); }

  TemporaryDirectory directory;
};

void expect_same(const Table& a, const Table& b) {
  ASSERT_EQ(a.names(), b.names());
  EXPECT_EQ(a.outputs, b.outputs);
  EXPECT_EQ(a.style, b.style);
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const Column& x = a.columns[c];
    const Column& y = b.columns[c];
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.categories, y.categories);
    EXPECT_EQ(x.codes, y.codes);
    EXPECT_EQ(x.unit, y.unit);
    EXPECT_EQ(x.position, y.position);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t row = 0; x.type == ColumnType::numeric && row < x.size(); ++row)
      ASSERT_TRUE(x.numbers[row] == y.numbers[row] ||
                  (std::isnan(x.numbers[row]) && std::isnan(y.numbers[row])))
          << x.name << ' ' << row;
  }
}

const std::string small =
    "x,kind,share,empty\n1.5,red,5%,\n-2e300,\"bl\"\"ue, dark\",7%,NA\n?,red,,\n0.1,,12%,\n";

// Columns that begin as numbers or without a value and hold texts in a later group.
std::string large() {
  constexpr std::size_t rows = 2 * group + 77;
  std::string text = "x,late,none_at_first,kind\n";
  for (std::size_t row = 0; row < rows; ++row)
    text += std::to_string(row % 1000) + "." + std::to_string(row % 7) + ',' +
            (row < group || row % 3 == 0 ? "0" + std::to_string(row % 10) : "t" + std::to_string(row % 5)) +
            ',' +
            (row < group + 5 ? ""
             : row % 2 == 0  ? "b"
                             : "a") +
            ',' + (row % 4 == 0 ? "z" : "y") + '\n';
  return text;
}

TEST_F(RowsFile, GivesTheTableOfTheTextItWasMadeOf) {
  expect_same(read_table(packed(small)), parse_csv(small, "rows.csv"));
  const std::string semicolons = "a;b\n1,5;x\n2,5;y\n";
  expect_same(read_table(packed(semicolons)), parse_csv(semicolons, "rows.csv"));
}

TEST_F(RowsFile, GivesTheSameTableWhereTypesShowInALaterGroup) {
  const std::string text = large();
  const Table table = read_table(packed(text));
  EXPECT_THAT(table.column("none_at_first").categories, ElementsAre("a", "b"));
  EXPECT_THAT(table.column("late").categories, testing::Contains("07"));
  expect_same(table, parse_csv(text, "rows.csv"));
}

TEST_F(RowsFile, SaysWhatItHolds) {
  const PackedTable packed =
      pack_table(directory.file("rows.csv", small), directory.path() / "a.strata-rows");
  EXPECT_EQ(packed.rows, 4U);
  EXPECT_EQ(packed.columns, 4U);
  EXPECT_EQ(packed.bytes, std::filesystem::file_size(directory.path() / "a.strata-rows"));
}

TEST_F(RowsFile, IsReadInPiecesOfAnySize) {
  const std::string text = large();
  const Table whole = parse_csv(text, "rows.csv");
  const auto path = packed(text);
  for (const std::size_t at_once : {group / 3, group, 5 * group}) {
    const auto reader = open_table(path);
    EXPECT_EQ(reader->names(), whole.names());
    std::size_t row = 0;
    for (Table piece = reader->next(at_once); piece.rows() > 0; piece = reader->next(at_once)) {
      EXPECT_LE(piece.rows(), at_once);
      for (const std::size_t at : {std::size_t{0}, piece.rows() - 1})
        for (std::size_t c = 0; c < whole.columns.size(); ++c)
          EXPECT_EQ(piece.columns[c].text(at), whole.columns[c].text(row + at));
      row += piece.rows();
    }
    EXPECT_EQ(row, whole.rows());
  }
}

TEST_F(RowsFile, StaysOnTheDiskWhereTheMemoryHasNoRoom) {
  const std::string text = large();
  const Table whole = parse_csv(text, "rows.csv");
  const Table packed_one = read_table(packed(text), {.memory = 1});
  EXPECT_TRUE(packed_one.on_disk());
  EXPECT_FALSE(whole.on_disk());
  expect_same(packed_one, whole);
  EXPECT_THAT(packed_one.notices.back(), HasSubstr("stay on the disk"));
  // And so does a text, which is packed for that.
  const Table text_one = read_table(directory.path() / "rows.csv", {.memory = 1});
  EXPECT_TRUE(text_one.on_disk());
  expect_same(text_one, whole);
}

TEST_F(RowsFile, GivesTheSameDataFromTheDisk) {
  const std::string text = large();
  const auto path = packed(text);
  PreprocessOptions options{.targets = {"x"}, .missing = MissingPolicy::impute};
  const Table in_memory = read_table(path);
  const Table on_disk = read_table(path, {.memory = 1});
  const Preprocessor fitted = Preprocessor::fit(on_disk, options);
  EXPECT_EQ(fitted, Preprocessor::fit(in_memory, options));
  const Dataset data = fitted.apply(on_disk);
  EXPECT_FALSE(data.inputs.in_memory());
  const Dataset expected = fitted.apply(in_memory);
  EXPECT_TRUE(expected.inputs.in_memory());
  EXPECT_EQ(data.targets, expected.targets);
  EXPECT_EQ(feature_rows(data), feature_rows(expected));
}

TEST_F(RowsFile, GivesTheColumnsThatAreAskedFor) {
  const auto path = packed(small);
  const Table table = read_table(path, {.numeric = {"share"},
                                        .nominal = {"kind", "empty"},
                                        .verbatim = {"x"},
                                        .listed_only = true,
                                        .units = {{"share", "%"}}});
  EXPECT_THAT(table.names(), ElementsAre("x", "kind", "share", "empty"));
  EXPECT_EQ(table.columns[0].text(2), "");
  EXPECT_EQ(table.columns[0].text(3), "0.1");
  EXPECT_EQ(table.columns[3].type, ColumnType::nominal);
  EXPECT_TRUE(table.columns[3].is_missing(0));
  const auto refused = [&](const ReadOptions& options) {
    return refusal<DataError>([&] { read_table(path, options); });
  };
  EXPECT_THAT(refused({.nominal = {"x"}}),
              HasSubstr("column 'x' is packed as numbers; pack the table again with"));
  EXPECT_THAT(refused({.numeric = {"kind"}}), HasSubstr("column 'kind' is packed as texts such as 'red'"));
  EXPECT_THAT(refused({.numeric = {"share"}, .listed_only = true}),
              HasSubstr("have '%' and should have no unit"));
  EXPECT_THAT(refused({.style = {.missing = std::vector<std::string>{"-999"}}}), HasSubstr("other markers"));
  EXPECT_THAT(refused({.numeric = {"y"}, .listed_only = true}), HasSubstr("there is no column 'y'"));
}

TEST_F(RowsFile, RefusesWhatTheReaderOfTextRefuses) {
  std::string stray = "x\n";
  std::string infinite = "x\n";
  std::string units = "x\n";
  for (std::size_t row = 0; row < group + 10; ++row) {
    stray += row == group + 5 ? "oops\n" : "1\n";
    infinite += row == group + 5 ? "1e999\n" : "1\n";
    units += row == group + 5 ? "3%\n" : "1\n";
  }
  for (const std::string& text : {stray, infinite, units, std::string("x\n"), std::string("x,y\n1\n")}) {
    const std::string by_reader = refusal<DataError>([&] { read_table(directory.file("rows.csv", text)); });
    EXPECT_EQ(problem(text), by_reader);
  }
}

TEST_F(RowsFile, IsWrittenWholeOrNotAtAll) {
  const auto path = packed(small);
  const std::string before = bytes_of(path);
  EXPECT_THAT(problem("x,y\n1,2\n3\n"), HasSubstr("rows.csv, line 3"));
  EXPECT_EQ(bytes_of(path), before);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory.path())) ++files;
  EXPECT_EQ(files, 2U);
}

TEST_F(RowsFile, RefusesOtherNamesAndSources) {
  const auto csv = directory.file("rows.csv", small);
  EXPECT_THAT(refusal<InvalidOption>([&] { pack_table(csv, directory.path() / "rows.bin"); }),
              HasSubstr("end the name in .strata-rows"));
  EXPECT_THAT(refusal<DataError>([&] { pack_table(packed(small), directory.path() / "b.strata-rows"); }),
              HasSubstr("packed already"));
  EXPECT_THAT(refusal<DataError>([&] { pack_table("/dev/null", directory.path() / "b.strata-rows"); }),
              HasSubstr("no file"));
}

TEST_F(RowsFile, RefusesEveryCutAndEveryChangedByte) {
  const std::string right = bytes_of(packed(small));
  const auto refused = [&](const std::string& bytes) {
    const auto path = changed(bytes);
    for (const std::size_t memory : {std::size_t{0}, std::size_t{1}})
      EXPECT_THAT(refusal<DataError>([&] { read_table(path, {.memory = memory}); }),
                  StartsWith(path.string()));
  };
  for (std::size_t size = 0; size < right.size(); size += size < 20 || size + 600 > right.size() ? 1 : 997)
    refused(right.substr(0, size));
  refused(right + '\0');
  // Zeros up to the end of a page are of no meaning; cells, description and trailer are.
  for (std::size_t at = 0; at < right.size(); ++at) {
    const bool filling = at < 5 * 4096 && right[at] == '\0';
    if (filling) continue;
    std::string wrong = right;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x20);
    refused(wrong);
  }
}

// A file whose checksums are right, and which lies all the same.
TEST_F(RowsFile, RefusesADescriptionThatCannotBe) {
  const std::string right = bytes_of(packed(small));
  const std::size_t begin = 5 * 4096;
  const std::string text = right.substr(begin, right.size() - 32 - begin);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string lie = text;
    EXPECT_NE(lie.find(from), std::string::npos) << from;
    lie.replace(lie.find(from), from.size(), to);
    std::string bytes = right.substr(0, begin) + lie;
    for (const std::uint64_t word :
         {std::uint64_t{begin}, std::uint64_t{lie.size()},
          std::uint64_t{::crc32_z(0, reinterpret_cast<const Bytef*>(lie.data()), lie.size())}})
      bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
    const auto path = changed(bytes + "rows end");
    return refusal<DataError>([&] { read_table(path); });
  };
  EXPECT_THAT(with("\"rows\":4", "\"rows\":1099511627777"), HasSubstr("number of rows is impossible"));
  EXPECT_THAT(with("\"rows\":4", "\"rows\":-4"), HasSubstr("number of rows is impossible"));
  EXPECT_THAT(with("\"rows\":4", "\"rows\":1e3"), HasSubstr("number of rows is impossible"));
  EXPECT_THAT(with("\"rows\":4", "\"rows\":999999"), HasSubstr("number of checksums is impossible"));
  EXPECT_THAT(with("\"rows\":4", "\"rows\":4000"), HasSubstr("columns should end at byte"));
  EXPECT_THAT(with("\"group_rows\":131072", "\"group_rows\":131071"),
              HasSubstr("rows in a group is impossible"));
  EXPECT_THAT(with("\"group_rows\":131072", "\"group_rows\":0"), HasSubstr("rows in a group is impossible"));
  EXPECT_THAT(with("\"name\":\"kind\"", "\"name\":\"x\""), HasSubstr("used twice"));
  EXPECT_THAT(with("\"red\"", "\"bl\\\"ue, dark\""), HasSubstr("listed twice"));
  EXPECT_THAT(with("\"red\",", ""), HasSubstr("not those that were packed"));  // a code without a category
  EXPECT_THAT(with("\"unit\":\"%\"", "\"unit\":\"furlongs\""), HasSubstr("unit of a column is not known"));
  EXPECT_THAT(with("\"columns\":[", "\"columns\":7,\"more\":["),
              HasSubstr("number of columns is impossible"));
  EXPECT_THAT(with("\"checks\":[", "\"checks\":[-1,"), HasSubstr("impossible"));
  EXPECT_THAT(with("\"values\"", "\"value\""), HasSubstr("lacks something"));
  EXPECT_THAT(with("{\"rows\"", "[\"rows\""), HasSubstr("not JSON"));
}

TEST_F(RowsFile, OfAnotherVersionOrKindIsNamed) {
  std::string bytes = bytes_of(packed(small));
  bytes[bytes.find('1')] = '2';
  EXPECT_THAT(refusal<DataError>([&] { read_table(changed(bytes)); }), HasSubstr("another version"));
  EXPECT_THAT(refusal<DataError>([&] { read_table(changed("x,y\n1,2\n")); }), HasSubstr("no packed table"));
}

}  // namespace
}  // namespace strata
