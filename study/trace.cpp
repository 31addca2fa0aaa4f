#include "study/trace.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "core/json.h"
#include "strata/core/errors.h"
#include "study/fields.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

using BlocksByLayer = std::map<std::pair<std::size_t, std::size_t>, BlockVisits>;

// Runs that follow one another, as with --l2 auto, each count seconds and sweeps from zero: the page counts on.
class Runs {
 public:
  // Of every record, in the order of the file.
  double seconds(const Fields& fields) {
    const double own = fields.number("seconds");
    if (own < last_) {
      begun_ += last_;
      sweeps_before_ = sweeps_;
    }
    if (std::isfinite(own)) last_ = own;
    return begun_ + own;
  }
  // Of a sweep, after its seconds.
  std::size_t sweep(const Fields& fields) {
    const std::size_t counted = sweeps_before_ + fields.whole("sweep");
    sweeps_ = counted + 1;
    return counted;
  }

 private:
  double begun_ = 0;  // seconds of the runs before
  double last_ = 0;
  std::size_t sweeps_before_ = 0;
  std::size_t sweeps_ = 0;
};

void add_step(BlocksByLayer& blocks, const Fields& fields, double seconds) {
  const Block block{.first = fields.whole("first_layer"), .last = fields.whole("last_layer")};
  BlockVisits& visited = blocks[{block.first, block.last}];
  visited.block = block;
  ++visited.visits;
  if (fields.yes("skipped"))
    ++visited.skipped;
  else if (fields.yes("refused"))
    ++visited.refused;
  else if (fields.yes("fallback"))
    ++visited.fallbacks;
  visited.iterations += fields.whole("iterations");
  const double length = fields.number("step_length");
  if (std::isfinite(length)) visited.lengths.emplace_back(seconds, length);
}

SweepRecord sweep_from(const Fields& fields, Runs& runs) {
  SweepRecord sweep;
  sweep.mean_loss = fields.number("mean_loss");
  sweep.value = fields.number("value");
  sweep.gradient_norm = fields.number("gradient_norm");
  sweep.validation_loss = fields.number("validation_loss");
  sweep.step_size = fields.number("step_size");
  sweep.batch_size = fields.whole("batch_size");
  sweep.refused = fields.whole("refused");
  sweep.undone = fields.whole("undone");
  sweep.seconds = runs.seconds(fields);
  sweep.sweep = runs.sweep(fields);
  return sweep;
}

// What a page shows of them must be there.
void check_run(const Fields& run) {
  for (const char* const name : {"data", "method", "network"}) static_cast<void>(run.text(name));
  for (const char* const name : {"rows", "weights", "members"}) static_cast<void>(run.whole(name));
  for (const nlohmann::json& target : run.list("targets"))
    if (!target.is_string()) run.refuse("targets", "names");
}

void check_result(const Fields& result) {
  static_cast<void>(result.text("reason"));
  static_cast<void>(result.whole("best_sweep"));
  static_cast<void>(result.object("rows"));
}

// The object that is the only member of another, as it is written.
std::string inside(const std::string& text, const nlohmann::json& record, const std::string& where) {
  if (record.size() != 1)
    throw DataError({where}, "has more than one member; name a file of strata train --trace");
  const std::size_t begin = text.find(':') + 1;
  return text.substr(begin, text.rfind('}') - begin);
}

}  // namespace

Trace read_trace(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!fs::is_regular_file(file) || !in)
    throw DataError({file.string()},
                    "cannot be read; name a file of strata train --trace or a directory of strata reproduce");
  Trace trace;
  BlocksByLayer blocks;
  Runs runs;
  std::string text;
  for (std::size_t line = 1; std::getline(in, text) && !in.eof(); ++line) {
    const std::string where = fmt::format("{}, line {}", file.string(), line);
    const JsonDocument document = parse_json(text, where, "the record");
    const nlohmann::json& record = document.root();
    const Fields fields(where, record);
    // A page is of one network: of several members, the first.
    if (record.contains("member") && fields.whole("member") > 0) continue;
    if (record.contains("run")) {
      check_run(fields.object("run"));
      trace.run = inside(text, record, where);
    } else if (record.contains("result")) {
      check_result(fields.object("result"));
      trace.result = inside(text, record, where);
    } else if (record.contains("first_layer")) {
      add_step(blocks, fields, runs.seconds(fields));
      ++trace.steps;
    } else if (record.contains("mean_loss")) {
      trace.sweeps.push_back(sweep_from(fields, runs));
    } else {
      throw DataError({where}, "is neither a step nor a sweep; name a file of strata train --trace");
    }
  }
  if (trace.sweeps.empty())
    throw DataError({file.string()},
                    "has no finished sweep; wait for the run, or name a file of strata train --trace");
  for (auto& [layers, visited] : blocks) trace.blocks.push_back(std::move(visited));
  return trace;
}

}  // namespace strata
