// Tables 6 to 8: BLInG against IG.
#include <fmt/format.h>

#include <array>

#include "study/table_parts.h"

namespace strata {

namespace {

using Compares = TableView::Compares;

struct Measure {
  std::string name;    // in our header
  std::string column;  // of the paper's figures
  double RunRecord::*field;
};
const std::array<Measure, 2> measures{
    {{"objective", "objective", &RunRecord::objective}, {"test error", "test", &RunRecord::test_mse}}};

std::optional<TableView> best_minibatch_runs(const RunSet& runs) {
  const Configuration& configuration = built_in_configuration("table6");
  const PaperFigures paper(configuration.paper);
  TableView table = empty_table(configuration, Compares::magnitudes);
  table.header = {"network",
                  "data",
                  "method",
                  "objective",
                  "paper's objective",
                  "ratio",
                  "test error",
                  "paper's test error",
                  "ratio of test errors",
                  "epochs",
                  "seconds"};
  for (const StudyCell& cell :
       runs.cells(paper_variant, {minibatch_methods.begin(), minibatch_methods.end()}))
    for (const std::string& method : minibatch_methods) {
      const RunRecord* const run = runs.best(paper_variant, cell, method);
      if (run == nullptr) continue;
      std::vector<Cell> row{text_cell(cell.network), text_cell(cell.data), text_cell(method)};
      for (const Measure& measure : measures) {
        const double ours = run->*measure.field;
        const auto published = paper.find(cell, measure.column + "_" + method);
        row.push_back(
            compare_magnitude(table, scientific(ours), cell.data, published, configuration.tolerance));
        row.push_back(scientific(published));
        row.push_back(ratio_cell(ours, published));
      }
      row.push_back(count_cell(run->sweeps));
      row.push_back(seconds_cell(run->seconds));
      table.rows.push_back(std::move(row));
    }
  table.note = fmt::format(
      "The run with the lowest objective over the starts; its test error is that of the same run. A figure "
      "within "
      "{:.0f} % of the published one agrees.",
      100 * configuration.tolerance);
  if (table.rows.empty()) return {};
  return table;
}

std::optional<TableView> wins(const RunSet& runs) {
  const Configuration& configuration = built_in_configuration("table7");
  const PaperFigures paper(configuration.paper);
  TableView table = empty_table(configuration, Compares::winners);
  table.header = {"measure", "data"};
  for (const std::string& network : runs.networks()) table.header.push_back(network);
  bool any = false;
  for (const Measure& measure : measures)
    for (const std::string& data : runs.data()) {
      std::vector<Cell> row{text_cell(measure.name), text_cell(data)};
      for (const std::string& network : runs.networks()) {
        const Score ours = runs.score(paper_variant, {network, data}, minibatch_methods, measure.field);
        any = any || ours.runs > 0;
        row.push_back(compare_winner(
            table, data, ours,
            paper.score({{"measure", measure.column}, {"network", network}, {"dataset", data}})));
      }
      table.rows.push_back(std::move(row));
    }
  table.note =
      "Wins : defeats of BLInG over the starts of both methods, the paper's over ten starts in parentheses; "
      "ties within "
      "5 %. In brackets the exact 95 % interval of the share of starts from which BLInG wins.";
  if (!any) return {};
  return table;
}

std::optional<TableView> depth_ratio(const RunSet& runs) {
  const Configuration& configuration = built_in_configuration("table8");
  const PaperFigures paper(configuration.paper);
  TableView table = empty_table(configuration, Compares::magnitudes);
  table.header = {"data"};
  for (const Measure& measure : measures)
    for (const std::string& method : minibatch_methods) {
      table.header.push_back(fmt::format("{}, {}", method, measure.name));
      table.header.push_back(fmt::format("paper's {}, {}", method, measure.name));
    }
  bool any = false;
  for (const std::string& data : runs.data()) {
    std::vector<Cell> row{text_cell(data)};
    for (const Measure& measure : measures)
      for (const std::string& method : minibatch_methods) {
        const RunRecord* const shallow = runs.best(paper_variant, {"1x50", data}, method);
        const RunRecord* const deep = runs.best(paper_variant, {"10x50", data}, method);
        const auto published = paper.find({{"dataset", data}}, measure.column + "_" + method);
        Cell ratio = text_cell(nothing);
        if (shallow != nullptr && deep != nullptr) {
          any = true;
          ratio = ratio_cell(deep->*measure.field, shallow->*measure.field);
        }
        row.push_back(compare_magnitude(table, ratio, data, published, configuration.tolerance));
        row.push_back(published ? ratio_cell(*published, 1.0) : text_cell(nothing));
      }
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format(
      "Best runs on 10x50 over best runs on 1x50. A ratio within {:.0f} % of the published one agrees.",
      100 * configuration.tolerance);
  if (!any) return {};
  return table;
}

}  // namespace

std::vector<TableView> minibatch_tables(const RunSet& runs) {
  std::vector<TableView> tables;
  for (std::optional<TableView>& table : std::array{best_minibatch_runs(runs), wins(runs), depth_ratio(runs)})
    if (table) tables.push_back(std::move(*table));
  return tables;
}

}  // namespace strata
