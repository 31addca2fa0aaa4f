#include "strata/data/shared_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <string>

#include "strata/core/random.h"
#include "strata/data/preprocess.h"
#include "strata/data/row_source.h"
#include "strata/data/shared_rows.h"
#include "strata/parallel/thread_communicator.h"
#include "support/files.h"

namespace strata {
namespace {

using support::TemporaryDirectory;
using testing::HasSubstr;

// Rows of many lengths, quoted line ends and separators, quotes that are letters, blank lines, missing cells, and a
// column whose first text comes late.
std::string awkward_rows(std::size_t rows, std::string_view line_end) {
  std::string text = "size,note,kind,y" + std::string(line_end);
  for (std::size_t i = 0; i < rows; ++i) {
    text += i % 7 == 3 ? "NA" : std::to_string(i * i % 101) + ".25";
    if (i % 5 == 0) text += ",\"two\nlines, \"\"quoted\"\" " + std::string(i % 11, 'x') + "\"";
    if (i % 5 == 1) text += ",five\" pipe";
    if (i % 5 > 1) text += "," + std::string(i % 13, 'n') + "o";
    text += i < rows / 2 ? ",1" : i % 2 == 0 ? ",blue" : ",2";
    text += "," + std::to_string(i) + std::string(line_end);
    if (i % 9 == 4) text += line_end;
  }
  return text;
}

void expect_rows_of(const Table& whole, const Table& part) {
  ASSERT_EQ(part.all_rows(), whole.rows());
  ASSERT_EQ(part.names(), whole.names());
  std::vector<std::size_t> rows(part.rows());
  std::iota(rows.begin(), rows.end(), part.first_row);
  const Table expected = take_rows(whole, rows);
  EXPECT_EQ(part.lines, expected.lines);
  for (std::size_t c = 0; c < whole.columns.size(); ++c) {
    EXPECT_EQ(part.columns[c].type, whole.columns[c].type);
    EXPECT_EQ(part.columns[c].categories, whole.columns[c].categories);
    EXPECT_EQ(part.columns[c].codes, expected.columns[c].codes);
    EXPECT_EQ(part.columns[c].position, whole.columns[c].position);
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_EQ(part.columns[c].text(i), expected.columns[c].text(i));
  }
}

TEST(SharedTable, IsCutIntoTheRowsThatOneProcessReads) {
  for (const std::string_view line_end : {"\n", "\r\n"})
    for (const std::size_t rows : {2, 40, 333}) {
      const TemporaryDirectory directory;
      const auto path = directory.file("shared.csv", awkward_rows(rows, line_end));
      const Table whole = read_table(path);
      for (const std::size_t count : {1, 2, 3, 7, 20}) {
        std::vector<std::size_t> held(count);
        run_as_processes(count, [&](Communicator& processes) {
          const Table part = read_shared_table(path, {}, processes);
          expect_rows_of(whole, part);
          held[processes.rank()] = part.rows();
        });
        EXPECT_EQ(std::accumulate(held.begin(), held.end(), std::size_t{0}), rows);
      }
    }
}

TEST(SharedTable, GivesEachProcessAboutAsManyRows) {
  std::string text = "x,y\n";
  for (int i = 0; i < 1000; ++i) text += "1.5,2.5\n";
  const TemporaryDirectory directory;
  const auto path = directory.file("even.csv", text);
  run_as_processes(4, [&](Communicator& processes) {
    EXPECT_NEAR(static_cast<double>(read_shared_table(path, {}, processes).rows()), 250, 1);
  });
}

TEST(SharedTable, RefusesATextAmongNumbersThoughOneProcessAloneWouldTakeItForACategory) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200; ++i) text += "1,2\n";
  text += "one,2\n";  // one of ten rows for the last of 20 processes
  const TemporaryDirectory directory;
  const auto path = directory.file("stray.csv", text);
  try {
    run_as_processes(20, [&](Communicator& processes) { read_shared_table(path, {}, processes); });
    FAIL() << "not refused";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("stray.csv, line 202, column 1: 'one' is not a number"));
  }
}

TEST(SharedTable, IsReadWholeWhereItCannotBeCut) {
  const TemporaryDirectory directory;
  const auto path = directory.file(
      "table.arff", "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@data\n1,u\n2,v\n3,u\n");
  const Table whole = read_table(path);
  run_as_processes(
      2, [&](Communicator& processes) { expect_rows_of(whole, read_shared_table(path, {}, processes)); });
}

// As programs hand over what they have in memory: a part without texts is taken for one of numbers.
TEST(SharedTable, IsMadeOfThePartsThatProcessesHaveInMemory) {
  run_as_processes(3, [](Communicator& processes) {
    const std::vector<std::vector<Column>> parts{
        {numeric_column("a", {1, 2}), nominal_column("b", {"p", "r"}, {1, 0}),
         nominal_column("c", {"z", "y"}, {0, 1})},
        {numeric_column("a", {}), numeric_column("b", {}), nominal_column("c", {"z", "y"}, {})},
        {numeric_column("a", {3, 4}), nominal_column("b", {"q"}, {0, Column::missing_code}),
         nominal_column("c", {"z", "y"}, {1, 1})}};
    Table own{.columns = parts[processes.rank()]};
    const Table whole{.columns = {numeric_column("a", {1, 2, 3, 4}),
                                  nominal_column("b", {"p", "q", "r"}, {2, 0, 1, Column::missing_code}),
                                  nominal_column("c", {"z", "y"}, {0, 1, 1, 1})}};
    const Table shared = share_table(std::move(own), processes);
    EXPECT_EQ(shared.first_row, processes.rank() == 0 ? 0U : 2U);
    expect_rows_of(whole, shared);
  });
}

TEST(SharedTable, RefusesAColumnOfNumbersAtOneProcessAndOfTextsAtAnother) {
  std::size_t refused = 0;
  std::mutex mutex;
  run_as_processes(2, [&](Communicator& processes) {
    Table own;
    own.columns = {processes.rank() == 0 ? numeric_column("b", {1}) : nominal_column("b", {"p"}, {0})};
    try {
      share_table(std::move(own), processes);
    } catch (const DataError& error) {  // at every process, so that none waits
      const std::scoped_lock lock(mutex);
      EXPECT_THAT(error.what(), HasSubstr("column 'b' holds texts at one process and numbers at another"));
      ++refused;
    }
  });
  EXPECT_EQ(refused, 2U);
}

// Means, deviations, extremes, categories and their frequencies are those of one process, to the bit.
TEST(SharedTable, IsPreprocessedAsByOneProcess) {
  const TemporaryDirectory directory;
  const auto path = directory.file("fit.csv", awkward_rows(200, "\n"));
  const Table whole = read_table(path);
  PreprocessOptions options{.targets = {"y"},
                            .categorical = {"size"},
                            .missing = MissingPolicy::impute,
                            .scale = Scaling::standard,
                            .target_scale = Scaling::standard};
  for (const bool numbers_as_categories : {true, false}) {
    if (!numbers_as_categories) options.categorical.clear();
    const Preprocessor expected = Preprocessor::fit(whole, options);
    for (const std::size_t count : {2, 3, 50})
      run_as_processes(count, [&](Communicator& processes) {
        const Table part = read_shared_table(path, {}, processes);
        std::vector<std::size_t> rows(part.rows());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        EXPECT_EQ(Preprocessor::fit(part, rows, options, processes), expected);
      });
  }
}

TEST(SharedTable, IsEncodedAsByOneProcessWhereRowsAreLeftOut) {
  const TemporaryDirectory directory;
  const auto path = directory.file("drop.csv", awkward_rows(300, "\n"));
  const Table whole = read_table(path);
  const Preprocessor preprocessor =
      Preprocessor::fit(whole, {.targets = {"y"}, .missing = MissingPolicy::drop});
  RandomStream random(1);
  std::vector<std::size_t> wanted = random.permutation(300);
  wanted.resize(211);
  const Dataset expected = RowSource(whole).encode(preprocessor, wanted);
  ASSERT_LT(expected.rows, wanted.size());
  for (const std::size_t count : {2, 3, 7, 50})
    run_as_processes(count, [&](Communicator& processes) {
      const Table part = read_shared_table(path, {}, processes);
      const Dataset encoded = RowSource(part, processes).encode(preprocessor, wanted);
      const Dataset of_one = share_rows(expected, processes);
      EXPECT_EQ(encoded.all_rows(), expected.rows);
      EXPECT_EQ(encoded.first_row, of_one.first_row);
      EXPECT_EQ(encoded.inputs, of_one.inputs);
      EXPECT_EQ(encoded.targets, of_one.targets);
    });
}

}  // namespace
}  // namespace strata
