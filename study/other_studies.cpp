// What goes beyond the paper's tables: readings of what it leaves open, and a fair start for every method.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "study/table_parts.h"

namespace strata {

namespace {

using Compares = TableView::Compares;

struct Pair {
  MethodPair methods;
  std::string best;  // configurations whose files have the published objectives, wins and defeats
  std::string wins;
};
const std::array<Pair, 2> pairs{
    {{batch_methods, "table2", "table3"}, {minibatch_methods, "table6", "table7"}}};

PaperFigures figures(const std::string& id) { return PaperFigures(built_in_configuration(id).paper); }

std::vector<StudyCell> cells_of(const Configuration& configuration) {
  std::vector<StudyCell> cells;
  for (const std::string& network : configuration.networks)
    for (const std::string& data : configuration.datasets) cells.push_back({network, data});
  return cells;
}

// The records of one study. Of the paper's own protocol, which has more starts, those that the other variants have:
// the best of ten runs is no match for the best of two.
std::vector<RunRecord> records_of(const Configuration& configuration, const std::vector<RunRecord>& records) {
  std::set<std::string> others;
  for (const StudyVariant& variant : configuration.variants)
    if (variant.name != paper_variant) others.insert(variant.name);
  std::set<std::uint64_t> starts;
  for (const RunRecord& record : records)
    if (others.contains(record.variant)) starts.insert(record.seed);
  std::vector<RunRecord> chosen;
  std::copy_if(records.begin(), records.end(), std::back_inserter(chosen), [&](const RunRecord& record) {
    return others.contains(record.variant) ||
           (record.variant == paper_variant && starts.contains(record.seed));
  });
  return chosen;
}

// --- Sensitivity

std::vector<Cell> published_row(const std::vector<StudyCell>& cells, const PaperFigures& paper,
                                const std::string& method) {
  std::vector<Cell> row{text_cell("published"), text_cell(""), text_cell(method)};
  for (const StudyCell& cell : cells) row.push_back(scientific(paper.find(cell, "objective_" + method)));
  row.resize(row.size() + 2, text_cell(""));
  return row;
}

// A method that the change does not touch stands in from the paper's own protocol.
std::array<std::string, 2> variants_of(const StudyVariant& variant, const MethodPair& methods) {
  std::array<std::string, 2> names{paper_variant, paper_variant};
  for (std::size_t i = 0; i < methods.size(); ++i)
    if (std::find(variant.methods.begin(), variant.methods.end(), methods[i]) != variant.methods.end())
      names[i] = variant.name;
  return names;
}

// Cells whose winner is the paper's, of those that were run.
Cell winners(const RunSet& runs, const StudyVariant& variant, const Pair& pair,
             const std::vector<StudyCell>& cells) {
  const PaperFigures paper = figures(pair.wins);
  Agreement agreement;
  for (const StudyCell& cell : cells) {
    PaperFigures::Where where{{"network", cell.network}, {"dataset", cell.data}};
    if (pair.methods == minibatch_methods) where.emplace_back("measure", "objective");
    const Score ours =
        runs.score(variants_of(variant, pair.methods), cell, pair.methods, &RunRecord::objective);
    const auto published = paper.score(where);
    if (ours.runs == 0 || !published) continue;
    const Cell::Mark mark = winner_mark(ours, *published);
    agreement.compared += 1;
    agreement.agree += mark == Cell::Mark::agrees ? 1 : 0;
    agreement.contradict += mark == Cell::Mark::contradicts ? 1 : 0;
  }
  if (agreement.compared == 0) return text_cell(nothing);
  Cell cell = text_cell(fmt::format("{} of {}", agreement.agree, agreement.compared));
  cell.mark = agreement.agree == agreement.compared ? Cell::Mark::agrees
              : agreement.contradict > 0            ? Cell::Mark::contradicts
                                                    : Cell::Mark::differs;
  return cell;
}

std::vector<Cell> reading_row(const RunSet& runs, const StudyVariant& variant, const std::string& method,
                              const std::vector<StudyCell>& cells, const PaperFigures& paper,
                              double tolerance) {
  std::vector<Cell> row{text_cell(variant.name), text_cell(variant.changes), text_cell(method)};
  double logarithms = 0;
  std::size_t compared = 0;
  for (const StudyCell& cell : cells) {
    const RunRecord* const run = runs.best(variant.name, cell, method);
    const auto published = paper.find(cell, "objective_" + method);
    row.push_back(run == nullptr ? text_cell(nothing) : scientific(run->objective));
    if (run == nullptr || !published) continue;
    row.back().mark = magnitude_mark(run->objective, *published, tolerance);
    logarithms += std::log(run->objective / *published);
    compared += 1;
  }
  row.push_back(compared == 0 ? text_cell(nothing)
                              : ratio_cell(std::exp(logarithms / static_cast<double>(compared)), 1.0));
  return row;
}

std::optional<TableView> sensitivity(const std::vector<RunRecord>& all) {
  const Configuration& configuration = built_in_configuration("sensitivity");
  const std::vector<RunRecord> records = records_of(configuration, all);
  if (records.empty()) return {};
  const RunSet runs(records);
  const std::vector<StudyCell> cells = cells_of(configuration);
  TableView table = empty_table(configuration, Compares::nothing);
  table.header = {"reading", "what changes (from)", "method"};
  for (const StudyCell& cell : cells) table.header.push_back(cell.data + " " + cell.network);
  table.header.insert(table.header.end(), {"mean ratio to the paper", "winner as in the paper"});
  for (const Pair& pair : pairs) {
    const PaperFigures paper = figures(pair.best);
    for (const std::string& method : pair.methods) table.rows.push_back(published_row(cells, paper, method));
    for (const StudyVariant& variant : configuration.variants)
      for (const std::string& method : pair.methods) {
        if (!runs.has(variant.name, method)) continue;
        std::vector<Cell> row = reading_row(runs, variant, method, cells, paper, configuration.tolerance);
        row.push_back(method == pair.methods[0] || !runs.has(variant.name, pair.methods[0])
                          ? winners(runs, variant, pair, cells)
                          : text_cell(""));
        table.rows.push_back(std::move(row));
      }
  }
  table.note = fmt::format(
      "Lowest objective over the starts, the same for all readings; a mark says whether it is within {:.0f} "
      "% of the published one. The "
      "ratio is the "
      "geometric mean over the cells. The last column counts the cells in which the block method wins, ties "
      "or loses as in "
      "the paper, against the method of the same reading or, where the change does not touch it, the one of "
      "\"paper\".",
      100 * configuration.tolerance);
  return table;
}

// --- A fair start

struct Outcomes {
  std::size_t wins = 0, ties = 0, defeats = 0;

  void add(const Score& score) {
    if (score.runs == 0) return;
    ++(score.winner() > 0 ? wins : score.winner() < 0 ? defeats : ties);
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("wins in {}, ties in {} and loses in {} cells", wins, ties, defeats);
  }
};

Cell score_cell(const Score& score) {
  return text_cell(score.runs == 0 ? nothing
                                   : fmt::format("{} : {} of {}", score.wins, score.defeats, score.runs));
}

Cell explained(const RunRecord* run) {
  if (run == nullptr) return text_cell(nothing);
  if (!std::isfinite(run->test_r2)) return text_cell("not finite");
  return {.text = fmt::format("{:.4f}", run->test_r2), .value = run->test_r2};
}

std::vector<Cell> fair_row(const RunSet& runs, const Configuration& configuration,
                           const StudyVariant& variant, const StudyCell& cell,
                           std::array<Outcomes, 4>& outcomes) {
  std::vector<Cell> row{text_cell(variant.name), text_cell(cell.network), text_cell(cell.data)};
  for (const auto& [method, seconds] : configuration.seconds)
    row.push_back(explained(runs.best(variant.name, cell, method)));
  std::size_t place = 0;
  for (double RunRecord::*const field : {&RunRecord::objective, &RunRecord::test_mse})
    for (const Pair& pair : pairs) {
      const Score score = runs.score(variant.name, cell, pair.methods, field);
      outcomes[place++].add(score);
      row.push_back(score_cell(score));
    }
  return row;
}

std::optional<TableView> baseline(const std::vector<RunRecord>& all) {
  const Configuration& configuration = built_in_configuration("baseline");
  const std::vector<RunRecord> records = records_of(configuration, all);
  if (records.empty()) return {};
  const RunSet runs(records);
  TableView table = empty_table(configuration, Compares::nothing);
  table.header = {"start", "network", "data"};
  for (const auto& [method, seconds] : configuration.seconds) table.header.push_back(method);
  for (const char* const measure : {"objective", "test error"})
    for (const Pair& pair : pairs)
      table.header.push_back(fmt::format("{} : {}, {}", pair.methods[0], pair.methods[1], measure));
  table.note =
      "R2 on the test rows of the run with the lowest objective over the same starts; then wins : defeats, "
      "ties within 5 %.";
  for (const StudyVariant& variant : configuration.variants) {
    std::array<Outcomes, 4> outcomes;
    for (const StudyCell& cell : cells_of(configuration)) {
      if (runs.cells(variant.name, variant.methods).empty()) continue;
      table.rows.push_back(fair_row(runs, configuration, variant, cell, outcomes));
    }
    table.note += fmt::format(
        " {} ({}): on the objective b2ld {} against lbfgs, bling {} against ig; on the test error "
        "b2ld {}, bling {}.",
        variant.name, variant.changes, outcomes[0].text(), outcomes[1].text(), outcomes[2].text(),
        outcomes[3].text());
  }
  return table;
}

}  // namespace

std::vector<TableView> other_studies(const std::vector<RunRecord>& records) {
  std::vector<TableView> tables;
  for (std::optional<TableView>& table : std::array{sensitivity(records), baseline(records)})
    if (table) tables.push_back(std::move(*table));
  return tables;
}

}  // namespace strata
