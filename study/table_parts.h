#pragma once

#include <optional>
#include <string>

#include "study/configuration.h"
#include "study/paper_figures.h"
#include "study/run_set.h"
#include "study/tables.h"

namespace strata {

// Pieces that the tables are put together from.

inline const std::string nothing = "–";

TableView empty_table(const Configuration& configuration, TableView::Compares compares);

Cell text_cell(std::string text);
Cell scientific(std::optional<double> value);  // 5.16e-02; "not finite"
Cell seconds_cell(std::optional<double> value);
Cell count_cell(std::size_t value);
Cell ratio_cell(std::optional<double> ours, std::optional<double> paper);

// Each compares with the paper's figure, if there is one, marks the cell and counts it in the table.
Cell compare_magnitude(TableView& table, Cell cell, const std::string& data, std::optional<double> paper,
                       double tolerance);
Cell compare_winner(TableView& table, const std::string& data, const Score& ours,
                    const std::optional<Score>& paper);

// Tables whose methods have no record are not there.
std::vector<TableView> batch_tables(const RunSet& runs);
std::vector<TableView> minibatch_tables(const RunSet& runs);

}  // namespace strata
