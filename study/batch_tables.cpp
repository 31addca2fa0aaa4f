// Tables 1 to 5: the data, and B2LD against L-BFGS.
#include <fmt/format.h>

#include "study/table_parts.h"

namespace strata {

namespace {

using Compares = TableView::Compares;
const std::string deepest = "10x50";

const RunRecord* any_run(const RunSet& runs, const StudyCell& cell) {
  for (const auto& methods : {batch_methods, minibatch_methods})
    for (const std::string& method : methods)
      if (const RunRecord* const run = runs.best(paper_variant, cell, method)) return run;
  return nullptr;
}

const RunRecord* any_run(const RunSet& runs, const std::string& data) {
  for (const std::string& network : runs.networks())
    if (const RunRecord* const run = any_run(runs, {network, data})) return run;
  return nullptr;
}

// Inputs and the constant, from the number of variables: the weights behind the first layer are known.
std::size_t features_of(const RunRecord& run) {
  const std::vector<std::size_t> widths = hidden_layers(run.network);
  std::size_t behind = widths.back();
  for (std::size_t l = 1; l < widths.size(); ++l) behind += widths[l - 1] * widths[l];
  return (run.variables - behind) / widths.front();
}

// Exact numbers: the paper's is shown where it is another one.
Cell exact(TableView& table, const std::string& data, std::size_t ours, std::optional<double> paper) {
  Cell cell = compare_magnitude(table, count_cell(ours), data, paper, 0);
  if (cell.mark == Cell::Mark::differs) cell.text += fmt::format(" (paper: {:.0f})", *paper);
  return cell;
}

std::optional<TableView> data_sets(const RunSet& runs) {
  const Configuration& configuration = built_in_configuration("table1");
  const PaperFigures paper(configuration.paper);
  TableView table = empty_table(configuration, Compares::nothing);
  table.header = {"data", "train", "test", "features"};
  for (const std::string& network : configuration.networks) table.header.push_back("n, " + network);
  for (const std::string& data : runs.data()) {
    const RunRecord* const some = any_run(runs, data);
    if (some == nullptr) continue;
    const auto published = [&](const std::string& column) { return paper.find({{"dataset", data}}, column); };
    std::vector<Cell> row{text_cell(data), exact(table, data, some->train_rows, published("train")),
                          exact(table, data, some->test_rows, published("test")),
                          exact(table, data, features_of(*some), published("features"))};
    for (const std::string& network : configuration.networks) {
      const RunRecord* const run = any_run(runs, {network, data});
      row.push_back(run == nullptr ? text_cell(nothing)
                                   : exact(table, data, run->variables, published("variables_" + network)));
    }
    table.rows.push_back(std::move(row));
  }
  table.note = "Rows, inputs with the constant, and variables of every network, as the runs had them.";
  if (table.rows.empty()) return {};
  return table;
}

// L-BFGS on the whole network counts each iteration for every layer.
std::size_t iterations(const RunRecord& run) {
  if (run.method == "lbfgs") return run.updates_per_layer.front();
  std::size_t sum = 0;
  for (const std::size_t updates : run.updates_per_layer) sum += updates;
  return sum;
}

std::optional<TableView> best_batch_runs(const RunSet& runs) {
  const Configuration& configuration = built_in_configuration("table2");
  const PaperFigures paper(configuration.paper);
  TableView table = empty_table(configuration, Compares::magnitudes);
  table.header = {"network",           "data",          "method",       "objective",
                  "paper's objective", "gradient norm", "paper's norm", "seconds",
                  "paper's seconds",   "iterations",    "stopped by"};
  for (const StudyCell& cell : runs.cells(paper_variant, {batch_methods.begin(), batch_methods.end()}))
    for (const std::string& method : batch_methods) {
      const RunRecord* const run = runs.best(paper_variant, cell, method);
      if (run == nullptr) continue;
      const auto published = paper.find(cell, "objective_" + method);
      table.rows.push_back({text_cell(cell.network), text_cell(cell.data), text_cell(method),
                            compare_magnitude(table, scientific(run->objective), cell.data, published,
                                              configuration.tolerance),
                            scientific(published), scientific(run->gradient_norm),
                            scientific(paper.find(cell, "gradnorm_" + method)), seconds_cell(run->seconds),
                            seconds_cell(paper.find(cell, "seconds_" + method)), count_cell(iterations(*run)),
                            text_cell(run->reason)});
    }
  table.note = fmt::format(
      "The run with the lowest objective over the starts; its other figures are those of the same run. An "
      "objective "
      "within {:.0f} % of the published one agrees.",
      100 * configuration.tolerance);
  if (table.rows.empty()) return {};
  return table;
}

// Tables 3 and 4: a row for every data set, a column for every network.
std::optional<TableView> wins(const RunSet& runs, const std::string& id, double RunRecord::*field) {
  const Configuration& configuration = built_in_configuration(id);
  const PaperFigures paper(configuration.paper);
  TableView table = empty_table(configuration, Compares::winners);
  table.header = {"data"};
  for (const std::string& network : runs.networks()) table.header.push_back(network);
  bool any = false;
  for (const std::string& data : runs.data()) {
    std::vector<Cell> row{text_cell(data)};
    for (const std::string& network : runs.networks()) {
      const Score ours = runs.score(paper_variant, {network, data}, batch_methods, field);
      any = any || ours.runs > 0;
      row.push_back(
          compare_winner(table, data, ours, paper.score({{"network", network}, {"dataset", data}})));
    }
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Wins : defeats of B2LD over the starts of both methods, the paper's over ten starts in parentheses. A "
      "value is "
      "better if it is lower by more than 5 %; whoever has more wins is the winner, equal numbers are a tie. "
      "In brackets "
      "the exact 95 % interval of the share of starts from which B2LD wins.";
  if (!any) return {};
  return table;
}

std::optional<TableView> layer_updates(const RunSet& runs) {
  const Configuration& configuration = built_in_configuration("table5");
  const PaperFigures paper(configuration.paper);
  TableView table = empty_table(configuration, Compares::nothing);
  table.header = {"data", "run"};
  for (std::size_t layer = 0; layer <= hidden_layers(deepest).size(); ++layer)
    table.header.push_back(fmt::format("{}", layer));
  for (const std::string& data : runs.data()) {
    const RunRecord* const run = runs.best(paper_variant, {deepest, data}, batch_methods[0]);
    if (run == nullptr) continue;
    std::vector<Cell> ours{text_cell(data), text_cell(fmt::format("start {}", run->seed))};
    std::vector<Cell> published{text_cell(""), text_cell("paper")};
    for (std::size_t layer = 0; layer < run->updates_per_layer.size(); ++layer) {
      ours.push_back(count_cell(run->updates_per_layer[layer]));
      const auto figure = paper.find({{"dataset", data}}, fmt::format("layer{}", layer));
      published.push_back(figure ? count_cell(static_cast<std::size_t>(*figure)) : text_cell(nothing));
    }
    table.rows.push_back(std::move(ours));
    table.rows.push_back(std::move(published));
  }
  table.note = "L-BFGS iterations by layer, from the input to the output.";
  if (table.rows.empty()) return {};
  return table;
}

}  // namespace

std::vector<TableView> batch_tables(const RunSet& runs) {
  std::vector<TableView> tables;
  for (std::optional<TableView>& table :
       std::array{data_sets(runs), best_batch_runs(runs), wins(runs, "table3", &RunRecord::objective),
                  wins(runs, "table4", &RunRecord::test_mse), layer_updates(runs)})
    if (table) tables.push_back(std::move(*table));
  return tables;
}

}  // namespace strata
