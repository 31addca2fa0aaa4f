// strata tables: the paper's tables from the records of a study.
#include "study/tables.h"

#include <algorithm>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "strata/core/errors.h"
#include "study/configuration.h"

namespace app {

namespace {

using strata::TableFormat;
using strata::TableView;

std::vector<TableView> wanted(const Settings& settings, std::vector<TableView> tables) {
  std::vector<std::string> ids;
  for (const std::string& id : settings.list("tables")) ids.push_back(strata::built_in_configuration(id).id);
  if (!ids.empty())
    std::erase_if(tables, [&](const TableView& table) {
      return std::find(ids.begin(), ids.end(), table.id) == ids.end();
    });
  if (tables.empty())
    throw strata::DataError({settings.text("RUNS")}, "has no record for a table; run strata reproduce first");
  return tables;
}

std::string printed(const std::vector<TableView>& tables, TableFormat format) {
  std::string text;
  for (const TableView& table : tables) {
    if (!text.empty()) text += "\n";
    if (format == TableFormat::csv && tables.size() > 1) text += "# " + table.title + "\n";
    text += print(table, format);
  }
  const std::string counts = agreement_summary(tables);
  const bool sentences = format == TableFormat::terminal || format == TableFormat::markdown;
  if (sentences && tables.size() > 1 && !counts.empty()) text += "\n" + counts;
  return text;
}

int run_tables(const Settings& settings) {
  const TableFormat format = strata::table_format_from(settings.text("format", "terminal"));
  const auto tables = wanted(settings, paper_tables(strata::read_runs(settings.text("RUNS"))));
  Output out = Output::to(settings.text("out"));
  out.stream() << printed(tables, format);
  out.commit();
  return done;
}

}  // namespace

Command tables_command() {
  return {.name = "tables",
          .summary = "Show the records of a study as the paper's tables, with the published values alongside",
          .examples =
              "strata tables runs\n"
              "strata tables runs --tables 3,4 --format markdown\n"
              "strata tables runs --tables 2 --format csv --out table2.csv",
          .arguments = {{"RUNS", "a directory written by strata reproduce"}},
          .options = {{"tables", "LIST", "1 to 8 (all that have records)", "Options", true},
                      {"format", "FORMAT", "terminal, markdown, latex or csv (terminal)"},
                      {"out", "FILE", "output file (standard output)"}},
          .run = run_tables,
          .notes =
              "Cells that agree with the paper are marked, and those that differ from it or contradict it; "
              "the counts\n"
              "follow below. The command reads records and runs nothing."};
}

}  // namespace app
