#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <utility>

#include "report.h"
#include "terminal.h"

namespace app {

namespace {

constexpr double terminal_interval =
    0.1;  // seconds between lines: as fast as one can read, or as a log should grow
constexpr double log_interval = 1.0;

}  // namespace

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(errors_are_seen()) {}

void Progress::attach(strata::FitHooks& hooks) {
  if (quiet_) return;
  hooks.started = [this, before = hooks.started](const strata::FitStart& begin) {
    if (before) before(begin);
    start(begin);
  };
  strata::Observers& observers = hooks.observers;
  observers.sweep = [this, before = observers.sweep](const strata::SweepRecord& record) {
    if (before) before(record);
    show(record);
  };
  observers.step = [this, before = observers.step](const strata::StepRecord& record) {
    if (before) before(record);
    show(record);
  };
}

void Progress::start(const strata::FitStart& start) {
  limits_ = start.stopping;
  members_ = start.members;
  if (!start.preprocessor.classes().empty()) say(class_sentence(start.preprocessor));
  if (start.storage != strata::PackedRows::Storage::doubles)
    say(fmt::format("the rows take more than the memory has room for: they are kept in single precision{}",
                    start.storage == strata::PackedRows::Storage::disk ? ", on the disk" : ""));
  const std::string members = members_ > 1 ? fmt::format("{} members, each a ", members_) : "";
  say(fmt::format("{} on {} rows: {}network {}, {} weights", start.method, start.rows, members,
                  start.network.brief(), start.weights));
  shown_ = clock_();
}

bool Progress::due() {
  const double now = clock_();
  if (now - shown_ < (terminal_ ? terminal_interval : log_interval)) return false;
  shown_ = now;
  return true;
}

void Progress::show(const std::string& text) {
  line_open_ = terminal_;
  // Back to the start, the line, and whatever a longer line left behind cleared.
  std::cerr << (terminal_ ? "\r" : "") << text << (terminal_ ? "\033[K" : "\n") << std::flush;
}

void Progress::show(const strata::SweepRecord& record) {
  last_ = record;
  if (due())
    show(fmt::format("{}sweep {}{}{}", member(record.member), record.sweep + 1, objective(),
                     time_left(record.seconds)));
}

// Inside a long sweep: where it is, with the objective of the sweep before.
void Progress::show(const strata::StepRecord& record) {
  if (due())
    show(fmt::format("{}sweep {}, layer {}{}{}", member(record.member), record.sweep + 1,
                     record.block.first + 1, objective(), time_left(record.seconds)));
}

std::string Progress::member(std::size_t number) const {
  return members_ > 1 ? fmt::format("member {}, ", number + 1) : "";
}

std::string Progress::objective() const {
  std::string text = std::isfinite(last_.value) ? fmt::format("  objective {:.4e}", last_.value) : "";
  if (std::isfinite(last_.validation_loss))
    text += fmt::format("  validation error {:.4e}", last_.validation_loss);
  return text;
}

std::string Progress::time_left(double seconds) const {
  std::string text = fmt::format("  {:.1f} s", seconds);
  double left = std::numeric_limits<double>::infinity();
  if (limits_.seconds > 0) left = std::max(0.0, limits_.seconds - seconds);
  const auto done = static_cast<double>(last_.sweep + 1);
  if (limits_.max_sweeps > 0 && last_.seconds > 0)
    left = std::min(left, last_.seconds / done * (static_cast<double>(limits_.max_sweeps) - done));
  return std::isfinite(left) ? text + fmt::format("  at most {} left", duration(left)) : text;
}

void Progress::end() {
  if (std::exchange(line_open_, false)) std::cerr << "\r\033[K" << std::flush;
}

void Progress::warn(const std::string& sentence) {
  end();
  std::cerr << paint(Paint::error, "strata:") << ' ' << sentence << std::endl;
}

void Progress::say(const std::string& sentence) const {
  if (!quiet_) std::cerr << paint(Paint::note, sentence) << '\n';
}

}  // namespace app
