// From the trace of one run to what its page shows.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "study/page.h"
#include "study/report.h"
#include "study/trace.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_points = 1000;  // of a curve: more than a screen has

// Places in a list of `count`, evenly spread, with the first and the last.
std::vector<std::size_t> spread_out(std::size_t count) {
  const std::size_t kept = std::min(count, most_points);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < kept; ++i) places.push_back(kept == 1 ? 0 : i * (count - 1) / (kept - 1));
  return places;
}

std::string name_of(const Block& block) {
  return block.first == block.last ? fmt::format("layer {}", block.first + 1)
                                   : fmt::format("layers {} to {}", block.first + 1, block.last + 1);
}

Json to_object(const BlockVisits& visited) {
  Json lengths = Json::array();
  for (const std::size_t i : spread_out(visited.lengths.size()))
    lengths.push_back({number_or_null(visited.lengths[i].first), visited.lengths[i].second});
  return {{"name", name_of(visited.block)},
          {"visits", visited.visits},
          {"taken", visited.visits - visited.fallbacks - visited.skipped - visited.refused},
          {"fallbacks", visited.fallbacks},
          {"skipped", visited.skipped},
          {"refused", visited.refused},
          {"iterations", visited.iterations},
          {"lengths", lengths}};
}

// One list for each number, all of the same length. They are lists from the start: where memory ends while the JSON library
// makes one of a null, it frees what is not there.
Json columns(const std::vector<SweepRecord>& sweeps) {
  const auto column = [&sweeps](auto number) {
    Json list = Json::array();
    for (const std::size_t i : spread_out(sweeps.size())) list.push_back(number(sweeps[i]));
    return list;
  };
  const auto measure = [&column](double SweepRecord::*which) {
    return column([which](const SweepRecord& sweep) { return number_or_null(sweep.*which); });
  };
  Json made = Json::object();
  made["sweep"] = column([](const SweepRecord& sweep) { return Json(sweep.sweep); });
  made["seconds"] = measure(&SweepRecord::seconds);
  made["value"] = measure(&SweepRecord::value);
  made["mean_loss"] = measure(&SweepRecord::mean_loss);
  made["validation_loss"] = measure(&SweepRecord::validation_loss);
  made["gradient_norm"] = measure(&SweepRecord::gradient_norm);
  made["step_size"] = measure(&SweepRecord::step_size);
  made["batch_size"] = column([](const SweepRecord& sweep) { return Json(sweep.batch_size); });
  return made;
}

double lowest(const std::vector<SweepRecord>& sweeps, double SweepRecord::*measure) {
  double least = std::numeric_limits<double>::infinity();
  for (const SweepRecord& sweep : sweeps)
    if (sweep.*measure < least) least = sweep.*measure;
  return least;
}

// The sweep whose weights the run keeps: as the record says or, of a run without an end, the one with the lowest
// validation loss, or the lowest objective.
const SweepRecord& best_of(const Trace& trace, const Json& result) {
  Json best_sweep;
  if (result.is_object())
    best_sweep = result.value(Json::json_pointer("/of_members/0/best_sweep"), result["best_sweep"]);
  for (const SweepRecord& sweep : trace.sweeps)
    if (Json(sweep.sweep + 1) == best_sweep) return sweep;
  const bool validated = std::isfinite(lowest(trace.sweeps, &SweepRecord::validation_loss));
  const auto measure = validated ? &SweepRecord::validation_loss : &SweepRecord::value;
  const double least = lowest(trace.sweeps, measure);
  for (const SweepRecord& sweep : trace.sweeps)
    if (sweep.*measure == least) return sweep;
  return trace.sweeps.back();
}

}  // namespace

std::string trace_report(const std::filesystem::path& file) {
  const Trace trace = read_trace(file);
  Json blocks = Json::array();
  for (const BlockVisits& visited : trace.blocks) blocks.push_back(to_object(visited));
  const Json result = Json::parse(trace.result);
  const SweepRecord& best = best_of(trace, result);
  return report_page(
      {{"kind", "trace"},
       {"name", file.filename().string()},
       {"count", {{"sweeps", trace.sweeps.size()}, {"steps", trace.steps}}},
       {"run", Json::parse(trace.run)},
       {"result", result},
       {"best",
        {{"sweep", best.sweep},
         {"seconds", number_or_null(best.seconds)},
         {"value", number_or_null(best.value)},
         {"mean_loss", number_or_null(best.mean_loss)},
         {"validation_loss", number_or_null(best.validation_loss)}}},
       {"seconds", number_or_null(trace.sweeps.back().seconds)},
       {"lowest",
        {{"objective", number_or_null(lowest(trace.sweeps, &SweepRecord::value))},
         {"mean loss of the batches", number_or_null(lowest(trace.sweeps, &SweepRecord::mean_loss))},
         {"validation loss", number_or_null(lowest(trace.sweeps, &SweepRecord::validation_loss))}}},
       {"sweeps", columns(trace.sweeps)},
       {"blocks", blocks}});
}

}  // namespace strata
