#include "study/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "strata/core/errors.h"
#include "support/files.h"
#include "support/records.h"

namespace strata {
namespace {

using support::record;
using support::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Mark = Cell::Mark;

const TableView& table(const std::vector<TableView>& tables, const std::string& id) {
  for (const TableView& found : tables)
    if (found.id == id) return found;
  throw std::runtime_error("there is no " + id);
}

TableView table_of(const std::vector<RunRecord>& runs, const std::string& id) {
  const std::vector<TableView> tables = paper_tables(runs);
  return table(tables, id);
}

std::vector<std::string> texts(const std::vector<Cell>& row) {
  std::vector<std::string> all;
  for (const Cell& cell : row) all.push_back(cell.text);
  return all;
}

std::vector<std::string> ids(const std::vector<RunRecord>& runs) {
  std::vector<std::string> all;
  for (const TableView& found : paper_tables(runs)) all.push_back(found.id);
  return all;
}

// The cell of a row that starts so, by the name of its column.
const Cell& cell(const TableView& view, const std::vector<std::string>& begin, const std::string& column) {
  for (const auto& row : view.rows) {
    const std::vector<std::string> all = texts(row);
    if (!std::equal(begin.begin(), begin.end(), all.begin())) continue;
    for (std::size_t i = 0; i < view.header.size(); ++i)
      if (view.header[i] == column) return row[i];
  }
  throw std::runtime_error("there is no such cell");
}

TEST(Tables, OnlyThoseWithRecordsAreThere) {
  EXPECT_THAT(ids({record("b2ld", 1, 1)}), ElementsAre("table1", "table2", "table5"));
  EXPECT_THAT(ids({record("b2ld", 1, 1), record("lbfgs", 1, 1)}),
              ElementsAre("table1", "table2", "table3", "table4", "table5"));
  EXPECT_THAT(ids({record("bling", 1, 1), record("ig", 1, 1)}), ElementsAre("table1", "table6", "table7"));
  EXPECT_THAT(ids({record("adam", 1, 1)}), ElementsAre());
}

TEST(Tables, CountsOfTheDataAreExactOrDiffer) {
  const TableView view = table_of({record("b2ld", 1, 1)}, "table1");
  EXPECT_EQ(cell(view, {"ccpp"}, "train").mark, Mark::agrees);
  EXPECT_EQ(cell(view, {"ccpp"}, "test").text, "1914 (paper: 1913)");
  EXPECT_EQ(cell(view, {"ccpp"}, "test").mark, Mark::differs);
  EXPECT_EQ(cell(view, {"ccpp"}, "features").text, "5");  // (22800 - 9 * 2500 - 50) / 50
  EXPECT_EQ(cell(view, {"ccpp"}, "n, 10x50").text, "22800");
  EXPECT_EQ(cell(view, {"ccpp"}, "n, 1x50").text, "–");
}

TEST(Tables, TheBestRunOfEachMethodStandsBesideThePapers) {
  RunRecord best = record("b2ld", 2, 5e-3);
  best.updates_per_layer = std::vector<std::size_t>(11, 1);
  RunRecord whole = record("lbfgs", 1, 6e-2);
  whole.updates_per_layer = std::vector<std::size_t>(11, 2);
  const TableView view = table_of({record("b2ld", 1, 6e-3), best, whole}, "table2");
  EXPECT_THAT(texts(view.rows.at(0)), ElementsAre("10x50", "ccpp", "b2ld", "5.00e-03", "4.89e-03", "2.00e-04",
                                                  "1.61e-02", "1.2", "17.1", "11", "time_limit"));
  EXPECT_THAT(texts(view.rows.at(1)), ElementsAre("10x50", "ccpp", "lbfgs", "6.00e-02", "5.16e-02",
                                                  "2.00e-04", "1.12e-04", "1.2", "1.2", "2", "time_limit"));
  EXPECT_EQ(view.rows.size(), 2U);
  EXPECT_EQ(view.rows[0][3].mark, Mark::agrees);   // 5.00e-3 / 4.89e-3 = 1.02
  EXPECT_EQ(view.rows[1][3].mark, Mark::differs);  // 6.00e-2 / 5.16e-2 = 1.16
  EXPECT_EQ(view.agreement.agree, 1U);
  EXPECT_EQ(view.agreement.compared, 2U);
}

TEST(Tables, WinsAreCountedOverCommonStartsWithTiesWithinFivePerCent) {
  const TableView view = table_of({record("b2ld", 1, 0.90), record("lbfgs", 1, 1.00),  // win
                                   record("b2ld", 2, 0.96), record("lbfgs", 2, 1.00),  // tie
                                   record("b2ld", 3, 1.00), record("lbfgs", 3, 0.90),  // defeat
                                   record("b2ld", 4, 0.10)},                           // no partner
                                  "table3");
  EXPECT_EQ(cell(view, {"ccpp"}, "10x50").text, "1 : 1 of 3 [0.01, 0.91] (10 : 0)");
  EXPECT_EQ(cell(view, {"ccpp"}, "10x50").mark, Mark::differs);  // a tie here, a win there
}

// ccpp in the paper's Table 3: 10x50 10 : 0, 3x20 2 : 6; ailerons on 1x50 0 : 0.
TEST(Tables, TheSameWinnerAgreesAndTheOtherContradicts) {
  const auto compared = [](double block, double whole, const std::string& data, const std::string& network) {
    RunRecord first = record("b2ld", 1, block, data, network);
    RunRecord second = record("lbfgs", 1, whole, data, network);
    return table_of({first, second}, "table3");
  };
  EXPECT_EQ(cell(compared(1, 2, "ccpp", "10x50"), {"ccpp"}, "10x50").mark, Mark::agrees);
  EXPECT_EQ(cell(compared(2, 1, "ccpp", "10x50"), {"ccpp"}, "10x50").mark, Mark::contradicts);
  EXPECT_EQ(cell(compared(1, 2, "ccpp", "3x20"), {"ccpp"}, "3x20").mark, Mark::contradicts);
  EXPECT_EQ(cell(compared(1, 1, "ccpp", "3x20"), {"ccpp"}, "3x20").mark, Mark::differs);
  EXPECT_EQ(cell(compared(1, 1, "ailerons", "1x50"), {"ailerons"}, "1x50").mark, Mark::agrees);
  EXPECT_EQ(cell(compared(1, 2, "ailerons", "1x50"), {"ailerons"}, "1x50").mark, Mark::differs);
  const TableView contradicted = compared(1, 2, "ccpp", "3x20");
  EXPECT_EQ(contradicted.agreement.contradict, 1U);
  EXPECT_EQ(contradicted.agreement.agree, 0U);
  EXPECT_EQ(contradicted.agreement.compared, 1U);
}

TEST(Tables, TableFourComparesTestErrors) {
  RunRecord block = record("b2ld", 1, 1);
  block.test_mse = 5;
  RunRecord whole = record("lbfgs", 1, 2);
  whole.test_mse = 4;
  const std::vector<RunRecord> runs{block, whole};
  EXPECT_EQ(cell(table_of(runs, "table3"), {"ccpp"}, "10x50").text, "1 : 0 of 1 (10 : 0)");
  EXPECT_EQ(cell(table_of(runs, "table4"), {"ccpp"}, "10x50").text, "0 : 1 of 1 (10 : 0)");
}

TEST(Tables, ARunThatIsNotFiniteIsNeverTheBestAndLoses) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<RunRecord> runs{record("b2ld", 1, infinite), record("b2ld", 2, 5e-3),
                                    record("lbfgs", 1, 5.1e-2)};
  EXPECT_EQ(cell(table_of(runs, "table2"), {"10x50", "ccpp", "b2ld"}, "objective").text, "5.00e-03");
  EXPECT_EQ(cell(table_of(runs, "table3"), {"ccpp"}, "10x50").text, "0 : 1 of 1 (10 : 0)");
  const TableView alone = table_of({runs[0]}, "table2");
  EXPECT_EQ(alone.rows[0][3].text, "not finite");
  EXPECT_EQ(alone.rows[0][3].mark, Mark::differs);
}

TEST(Tables, UpdatesPerLayerAreThoseOfTheBestRunOnTheDeepestNetwork) {
  RunRecord best = record("b2ld", 2, 5e-3);
  best.updates_per_layer = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const TableView view =
      table_of({record("b2ld", 1, 6e-3), best, record("b2ld", 1, 1e-3, "ccpp", "1x50")}, "table5");
  EXPECT_THAT(texts(view.rows.at(0)),
              ElementsAre("ccpp", "start 2", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(texts(view.rows.at(1)),
              ElementsAre("", "paper", "11", "2", "2", "31", "2", "2", "2", "2", "2", "2", "4"));
  EXPECT_EQ(view.rows.size(), 2U);
}

TEST(Tables, MinibatchTablesHaveObjectiveTestErrorRatiosAndWins) {
  RunRecord whole = record("ig", 1, 1.77e-2, "california", "5x50");
  whole.test_mse = 1.83e-2;
  const std::vector<RunRecord> runs{record("bling", 1, 1.68e-2, "california", "5x50"), whole};
  const TableView best = table_of(runs, "table6");
  EXPECT_THAT(texts(best.rows.at(0)), ElementsAre("5x50", "california", "bling", "1.68e-02", "1.68e-02",
                                                  "1.00", "3.36e-02", "1.73e-02", "1.94", "7", "1.2"));
  EXPECT_THAT(texts(best.rows.at(1)), ElementsAre("5x50", "california", "ig", "1.77e-02", "1.77e-02", "1.00",
                                                  "1.83e-02", "1.83e-02", "1.00", "7", "1.2"));
  EXPECT_EQ(best.agreement.agree, 3U);
  EXPECT_EQ(best.agreement.compared, 4U);
  const TableView wins = table_of(runs, "table7");
  EXPECT_EQ(cell(wins, {"objective", "california"}, "5x50").text, "1 : 0 of 1 (1 : 1)");
  EXPECT_EQ(cell(wins, {"test error", "california"}, "5x50").text, "0 : 1 of 1 (1 : 1)");
}

// The paper's Table 8, mv: 4.84 for bling's objective, 9.68 for the test error of ig.
TEST(Tables, DepthRatiosAreThoseOfTheBestRuns) {
  const TableView view =
      table_of({record("bling", 1, 2e-5, "mv", "1x50"), record("bling", 2, 1e-5, "mv", "1x50"),
                record("bling", 1, 5e-5, "mv", "10x50"), record("ig", 1, 1e-5, "mv", "1x50"),
                record("ig", 1, 5e-5, "mv", "10x50")},
               "table8");
  EXPECT_EQ(cell(view, {"mv"}, "bling, objective").text, "5.00");
  EXPECT_EQ(cell(view, {"mv"}, "bling, objective").mark, Mark::agrees);
  EXPECT_EQ(cell(view, {"mv"}, "paper's bling, objective").text, "4.84");
  EXPECT_EQ(cell(view, {"mv"}, "ig, test error").mark, Mark::differs);
  EXPECT_EQ(cell(view, {"mv"}, "paper's ig, test error").text, "9.68");
}

TEST(Tables, NetworksAndDataStandInTheOrderOfThePaper) {
  const TableView view = table_of({record("b2ld", 1, 1, "mv", "10x50"), record("b2ld", 1, 1, "bike", "10x50"),
                                   record("b2ld", 1, 1, "mv", "1x50")},
                                  "table2");
  EXPECT_THAT(texts(view.rows.at(0)).at(0), "1x50");
  EXPECT_THAT(texts(view.rows.at(1)).at(1), "bike");
  EXPECT_THAT(texts(view.rows.at(2)).at(1), "mv");
}

TEST(Tables, DataOfOnesOwnHasNoMarks) {
  const TableView view = table_of(
      {record("b2ld", 1, 1, "friedman1", "10x50"), record("lbfgs", 1, 2, "friedman1", "10x50")}, "table3");
  EXPECT_EQ(cell(view, {"friedman1"}, "10x50").text, "1 : 0 of 1");
  EXPECT_EQ(cell(view, {"friedman1"}, "10x50").mark, Mark::none);
  EXPECT_EQ(view.agreement.compared, 0U);
}

TEST(Tables, OtherVariantsStayOutOfThePapersTables) {
  RunRecord other = record("b2ld", 2, 1e-9);
  other.variant = "forward";
  const TableView view = table_of({record("b2ld", 1, 5e-3), other}, "table2");
  EXPECT_EQ(view.rows.size(), 1U);
  EXPECT_EQ(view.rows[0][3].text, "5.00e-03");
}

TEST(Agreement, BankIsCountedApart) {
  const std::vector<TableView> tables =
      paper_tables({record("b2ld", 1, 1), record("lbfgs", 1, 2),  // as in the paper
                    record("b2ld", 1, 2, "bank", "10x50"), record("lbfgs", 1, 1, "bank", "10x50")});
  const auto winners = TableView::Compares::winners;
  EXPECT_EQ(total_agreement(tables, winners).agree, 2U);  // Tables 3 and 4
  EXPECT_EQ(total_agreement(tables, winners).compared, 2U);
  EXPECT_EQ(total_bank_agreement(tables, winners).contradict, 2U);
  EXPECT_EQ(total_bank_agreement(tables, winners).compared, 2U);
  EXPECT_THAT(
      agreement_summary(tables),
      HasSubstr("Who wins, all tables: 2 of 2 cells agree, 0 contradict; bank, counted apart: 0 of 2 cells "
                "agree, 2 contradict.\n"));
  EXPECT_THAT(agreement_summary(tables), HasSubstr("Magnitude, all tables: 0 of 2 cells agree; bank"));
}

// Published: bling wins on 10x50 of bike from ten starts more than ig, on 5x50 from two, and on 10x50 of bank, counted apart, from ten.
TEST(Agreement, OfCellsThatThePaperDecidesClearlyIsCountedToo) {
  const std::vector<TableView> tables =
      paper_tables({record("bling", 1, 2, "bike", "10x50"), record("ig", 1, 1, "bike", "10x50"),
                    record("bling", 1, 1, "bike", "5x50"), record("ig", 1, 2, "bike", "5x50"),
                    record("bling", 1, 1, "bank", "10x50"), record("ig", 1, 2, "bank", "10x50")});
  EXPECT_THAT(agreement_summary(tables), HasSubstr("Who wins, all tables: 2 of 4 cells agree, 2 contradict"));
  EXPECT_THAT(agreement_summary(tables), HasSubstr("Who wins, cells that the paper decides by 5 of its ten "
                                                   "starts or more: 0 of 2 cells agree, 2 contradict.\n"));
}

TEST(Tables, ALargeRatioIsNotSpeltOut) {
  const TableView view = table_of({record("bling", 1, 0.072, "bank", "10x50")}, "table6");
  EXPECT_EQ(view.rows.at(0).at(5).text, "8.7e+04");  // 0.072 / 8.32e-7
}

// --- Printing

TableView small() {
  return {.id = "table3",
          .title = "Table 3. A & B",
          .note = "How to read it.",
          .header = {"data", "1x50"},
          .rows = {{{.text = "bike_1"}, {.text = "1 : 0", .mark = Mark::agrees}},
                   {{.text = "mv"}, {.text = "0 : 1", .mark = Mark::contradicts}},
                   {{.text = "–"}, {.text = "5 %", .mark = Mark::differs}}},
          .compares = TableView::Compares::winners,
          .agreement = {.agree = 1, .contradict = 1, .compared = 3}};
}

TEST(Print, Terminal) {
  EXPECT_EQ(
      print(small(), TableFormat::terminal),
      "Table 3. A & B\n"
      "  data    1x50\n"
      "  bike_1  1 : 0 ✓\n"
      "  mv      0 : 1 ✗\n"
      "  –       5 % ~\n"
      "How to read it. ✓ agrees with the paper, ~ differs, ✗ contradicts it. Who wins: 1 of 3 cells agree,\n"
      "1 contradict.\n");
}

TEST(Print, Markdown) {
  EXPECT_EQ(
      print(small(), TableFormat::markdown),
      "### Table 3. A & B\n\n"
      "How to read it. ✓ agrees with the paper, ~ differs, ✗ contradicts it. Who wins: 1 of 3 cells agree, 1 "
      "contradict.\n\n"
      "| data | 1x50 |\n| --- | --- |\n| bike_1 | 1 : 0 ✓ |\n| mv | 0 : 1 ✗ |\n| – | 5 % ~ |\n");
}

TEST(Print, LatexEscapesWhatItWouldMisunderstand) {
  const std::string text = print(small(), TableFormat::latex);
  EXPECT_THAT(text, HasSubstr("\\caption{Table 3. A \\& B."));
  EXPECT_THAT(text, HasSubstr("\\begin{tabular}{ll}\n\\hline\ndata & 1x50 \\\\\n\\hline\n"));
  EXPECT_THAT(text,
              HasSubstr("bike\\_1 & 1 : 0 $=$ \\\\\nmv & 0 : 1 $\\times$ \\\\\n-- & 5 \\% $\\sim$ \\\\\n"));
  EXPECT_THAT(text, Not(HasSubstr("✓")));
}

TEST(Print, NamesOutOfAFileAreShownAndNeverObeyed) {
  TableView table = small();
  table.rows[0][0].text = "a\x1b[2J|\\input{x}$\n";
  EXPECT_THAT(print(table, TableFormat::terminal), HasSubstr("a.[2J|\\input{x}$."));
  EXPECT_THAT(print(table, TableFormat::markdown), HasSubstr("| a.[2J\\|\\input{x}$. |"));
  EXPECT_THAT(print(table, TableFormat::latex), HasSubstr("a.[2J|\\textbackslash{}input\\{x\\}\\$. &"));
}

TEST(Print, CsvHasTheMarksInAColumnOfTheirOwn) {
  EXPECT_EQ(print(small(), TableFormat::csv),
            "data,1x50,\"1x50, compared\"\nbike_1,1 : 0,agrees\nmv,0 : 1,contradicts\n–,5 %,differs\n");
}

TEST(Print, AnUnknownFormatIsRefused) {
  EXPECT_EQ(table_format_from("latex"), TableFormat::latex);
  EXPECT_EQ(refusal<InvalidOption>([] { (void)table_format_from("html"); }),
            "option 'format' = 'html': use terminal, markdown, latex or csv");
}

}  // namespace
}  // namespace strata
