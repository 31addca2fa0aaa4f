#include "side_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace app {

namespace {

std::string run_of(const strata::FitStart& start, const std::string& data) {
  using Json = nlohmann::ordered_json;
  return Json{{"data", data},
              {"targets", start.preprocessor.target_names()},
              {"rows", start.rows},
              {"method", start.method},
              {"network", start.network.brief()},
              {"weights", start.weights},
              {"members", start.members}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void SideFiles::warn(const std::string& file, const std::string& problem) {
  if (lost_.insert(file).second) progress_.warn(problem + "; the run continues");
}

Logs::Logs(const Settings& settings, SideFiles& files) : files_(files) {
  for (const char* const option : {"trace", "history"})
    if (settings.has(option))
      logs_.push_back(std::make_unique<One>(settings.text(option), option == std::string("trace")));
}

template <class Code>
void Logs::each(const Code& code) {
  for (const auto& one : logs_)
    if (!files_.lost(one->file)) files_.attempt(one->file, [&] { code(*one); });
}

// A line of the trace that is neither a step nor a sweep.
void Logs::trace(std::string_view name, const std::string& object) {
  each([&](One& one) {
    if (one.steps) one.log.stream() << fmt::format("{{\"{}\":{}}}\n", name, object);
  });
}

void Logs::attach(strata::FitHooks& hooks, const std::string& data) {
  if (logs_.empty()) return;
  strata::Observers& observers = hooks.observers;
  if (logs_.front()->steps) {
    hooks.started = [this, data](const strata::FitStart& start) { trace("run", run_of(start, data)); };
    observers.step = [this](const strata::StepRecord& record) {
      each([&](One& one) {
        if (one.steps) one.log.stream() << to_json(record) << '\n';
      });
    };
  }
  observers.sweep = [this](const strata::SweepRecord& record) {
    each([&](One& one) {
      one.log.stream() << to_json(record) << '\n';
      one.log.check();
    });
  };
}

void Logs::finish(const strata::FitResult& result) {
  trace("result", to_json(result));
  each([](One& one) { one.log.check(); });
}

}  // namespace app
