// From the records of a study to what its page shows.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "strata/core/errors.h"
#include "strata/trainers/presets.h"
#include "study/configuration.h"
#include "study/page.h"
#include "study/paper_figures.h"
#include "study/record.h"
#include "study/report.h"
#include "study/run_set.h"
#include "study/spread.h"
#include "study/tables.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// The runs that differ in their starting point alone, in the order of their seeds.
struct RunGroup {
  std::vector<const RunRecord*> runs;

  [[nodiscard]] const RunRecord& front() const { return *runs.front(); }
  [[nodiscard]] const RunRecord& best() const {
    return **std::min_element(runs.begin(), runs.end(),
                              [](const auto* a, const auto* b) { return a->objective < b->objective; });
  }
};

std::size_t place_in(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.emplace_back(method.name);
  return names;
}

// The paper's protocol first; networks and data in the order of the paper, methods in that of `strata methods`.
std::vector<RunGroup> groups_of(const std::vector<RunRecord>& runs) {
  const RunSet set(runs);
  const std::vector<std::string> networks = set.networks();
  const std::vector<std::string> data = set.data();
  const std::vector<std::string> known = method_names();
  using Place = std::tuple<bool, std::string, std::size_t, std::size_t, std::size_t, std::string>;
  std::map<Place, RunGroup> sorted;
  for (const RunRecord& run : runs)
    sorted[{run.variant != paper_variant, run.variant, place_in(networks, run.network),
            place_in(data, run.data), place_in(known, run.method), run.method}]
        .runs.push_back(&run);
  std::vector<RunGroup> groups;
  for (auto& [place, group] : sorted) {
    std::sort(group.runs.begin(), group.runs.end(),
              [](const auto* a, const auto* b) { return a->seed < b->seed; });
    groups.push_back(std::move(group));
  }
  return groups;
}

Json points(const std::vector<std::pair<double, double>>& curve) {
  Json list = Json::array();
  for (const auto& [seconds, objective] : curve)
    list.push_back({number_or_null(seconds), number_or_null(objective)});
  return list;
}

Json to_object(const RunRecord& run) {
  return {{"seed", run.seed},
          {"objective", number_or_null(run.objective)},
          {"test_mse", number_or_null(run.test_mse)},
          {"gradient_norm", number_or_null(run.gradient_norm)},
          {"seconds", number_or_null(run.seconds)},
          {"sweeps", run.sweeps},
          {"reason", run.reason}};
}

Json box(const RunGroup& group, double RunRecord::*measure) {
  std::vector<double> values;
  for (const RunRecord* run : group.runs) values.push_back(run->*measure);
  const auto found = spread(std::move(values));
  if (!found) return nullptr;
  return {{"runs", found->values},   {"lowest", found->lowest},     {"q1", found->lower_quartile},
          {"median", found->median}, {"q3", found->upper_quartile}, {"highest", found->highest}};
}

// Curves are long and one is drawn: that of the best run.
Json to_object(const RunGroup& group) {
  Json best = to_object(group.best());
  best["updates_per_layer"] = group.best().updates_per_layer;
  best["curve"] = points(group.best().curve);
  Json runs = Json::array();
  for (const RunRecord* run : group.runs) runs.push_back(to_object(*run));
  return {
      {"variant", group.front().variant},
      {"data", group.front().data},
      {"network", group.front().network},
      {"method", group.front().method},
      {"limit", group.front().limit},
      {"best", best},
      {"boxes",
       {{"objective", box(group, &RunRecord::objective)}, {"test_mse", box(group, &RunRecord::test_mse)}}},
      {"runs", runs}};
}

std::string_view name_of(Cell::Mark mark) {
  switch (mark) {
    case Cell::Mark::none: return "none";
    case Cell::Mark::agrees: return "agrees";
    case Cell::Mark::differs: return "differs";
    case Cell::Mark::contradicts: return "contradicts";
  }
  return "";
}

Json to_object(const TableView& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const Cell& cell : row) cells.push_back({cell.text, name_of(cell.mark)});
    rows.push_back(std::move(cells));
  }
  return {{"id", table.id},         {"title", table.title}, {"note", table.note},
          {"header", table.header}, {"rows", rows},         {"agreement", agreement_summary(table)}};
}

// Magnitudes agree or differ; only winners can contradict.
Json counted(const std::vector<TableView>& tables) {
  Json list = Json::array();
  const auto add = [&](std::string_view about, const Agreement& agreement, bool contradicts) {
    if (agreement.compared == 0) return;
    list.push_back({{"about", about},
                    {"agree", agreement.agree},
                    {"differ", agreement.compared - agreement.agree - agreement.contradict},
                    {"contradict", contradicts ? Json(agreement.contradict) : Json(nullptr)},
                    {"compared", agreement.compared}});
  };
  add("Who wins", total_agreement(tables, TableView::Compares::winners), true);
  add("Magnitudes", total_agreement(tables, TableView::Compares::magnitudes), false);
  add("Who wins, bank", total_bank_agreement(tables, TableView::Compares::winners), true);
  add("Magnitudes, bank", total_bank_agreement(tables, TableView::Compares::magnitudes), false);
  return list;
}

// The paper's histograms: the methods compared, and its own best objectives (Tables 2 and 6).
Json figure(const RunSet& runs, const MethodPair& pair, std::string_view file) {
  const PaperFigures published(file);
  Json paper = Json::array();
  for (const StudyCell& cell : runs.cells(paper_variant, {pair.begin(), pair.end()}))
    for (const std::string& method : pair)
      if (const auto objective = published.find(cell, "objective_" + method))
        paper.push_back(
            {{"data", cell.data}, {"network", cell.network}, {"method", method}, {"objective", *objective}});
  return {{"methods", pair}, {"paper", paper}};
}

// The paper's Table 5.
Json published_updates(const RunSet& runs) {
  const PaperFigures published("table5.csv");
  const std::string network = "10x50";
  Json list = Json::array();
  for (const std::string& data : runs.data()) {
    Json updates = Json::array();
    for (std::size_t layer = 0; layer <= hidden_layers(network).size(); ++layer)
      if (const auto count = published.find({{"dataset", data}}, fmt::format("layer{}", layer)))
        updates.push_back(*count);
    if (!updates.empty())
      list.push_back({{"data", data},
                      {"network", network},
                      {"method", batch_methods.front()},
                      {"updates_per_layer", updates}});
  }
  return list;
}

}  // namespace

std::string study_report(const std::filesystem::path& directory) {
  const std::vector<RunRecord> runs = read_runs(directory);
  if (runs.empty())
    throw DataError({(directory / runs_file).string()}, "has no finished run; continue strata reproduce");
  const std::vector<TableView> tables = paper_tables(runs);
  const RunSet set(runs);
  Json cells = Json::array();
  for (const RunGroup& group : groups_of(runs)) cells.push_back(to_object(group));
  Json views = Json::array();
  for (const TableView& table : tables) views.push_back(to_object(table));
  return report_page(
      {{"kind", "study"},
       {"name", directory.filename().string()},
       {"study", Json::parse(to_json(read_study(directory)))},
       {"agreement", counted(tables)},
       {"tables", views},
       {"figures", {figure(set, batch_methods, "table2.csv"), figure(set, minibatch_methods, "table6.csv")}},
       {"published_updates", published_updates(set)},
       {"cells", cells}});
}

}  // namespace strata
