#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "study/record.h"

namespace strata {

// One cell, as it is printed; where it stands beside a figure of the paper, what the comparison says.
struct Cell {
  enum class Mark {
    none,         // nothing to compare with
    agrees,       // the same winner, or within the tolerance claimed
    differs,      // one of the two is a tie, or outside the tolerance
    contradicts,  // the other method wins
  };
  std::string text;
  Mark mark = Mark::none;
  double value = std::numeric_limits<double>::quiet_NaN();  // where the text is one number
};

// Cells that were compared with the paper's. Contradictions are possible where winners are compared.
struct Agreement {
  std::size_t agree = 0;
  std::size_t contradict = 0;
  std::size_t compared = 0;
};

struct TableView {
  enum class Compares { nothing, winners, magnitudes };
  std::string id;     // "table2"
  std::string title;  // "Table 2. ..."
  std::string note;   // how to read it
  std::vector<std::string> header = {};
  std::vector<std::vector<Cell>> rows = {};
  Compares compares = Compares::nothing;
  Agreement agreement = {};       // without bank
  Agreement bank_agreement = {};  // its published figures cannot come from its label: counted apart
  Agreement clear_agreement =
      {};  // winners of the cells that the paper decides by `clear_margin`, without bank
};

// Those of Tables 1 to 8 for which there are records.
std::vector<TableView> paper_tables(const std::vector<RunRecord>& runs);

// Wins more than defeats, or the reverse, of the paper's ten starts, from which on a cell is decided clearly: half of the starts.
inline constexpr std::size_t clear_margin = 5;

// Summed over the tables that compare the same thing.
Agreement total_agreement(std::span<const TableView> tables, TableView::Compares compares);
Agreement total_bank_agreement(std::span<const TableView> tables, TableView::Compares compares);

enum class TableFormat { terminal, markdown, latex, csv };
TableFormat table_format_from(const std::string& name);  // throws InvalidOption

std::string print(const TableView& table, TableFormat format);

// The counts of one table, and of all that compare the same thing, as sentences; empty where nothing was compared.
std::string agreement_summary(const TableView& table);
std::string agreement_summary(std::span<const TableView> tables);

}  // namespace strata
