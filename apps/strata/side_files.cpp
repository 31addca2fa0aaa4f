#include "side_files.h"

namespace app {

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

void Logs::attach(strata::Observers& observers) {
  if (logs_.empty()) return;
  if (logs_.front()->steps)
    observers.step = [this](const strata::StepRecord& record) {
      each([&](One& one) {
        if (one.steps) one.log.stream() << to_json(record) << '\n';
      });
    };
  observers.sweep = [this](const strata::SweepRecord& record) {
    each([&](One& one) {
      one.log.stream() << to_json(record) << '\n';
      one.log.check();
    });
  };
}

void Logs::finish() {
  each([](One& one) { one.log.check(); });
}

}  // namespace app
