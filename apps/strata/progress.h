#pragma once

#include <cstddef>
#include <string>

#include "strata/core/clock.h"
#include "strata/model/fit.h"

namespace app {

std::string duration(double seconds);  // "45 s", "12 min", "3.5 h"

// What a run tells while it goes, on standard error: one line rewritten in place on a terminal, otherwise a line now
// and then.
class Progress {
 public:
  explicit Progress(bool quiet);

  void attach(strata::FitHooks& hooks);  // observers already there are still called, first
  void end();                            // leaves the terminal's line
  void say(const std::string& sentence) const;
  void warn(const std::string& sentence);  // also where nothing else is shown

 private:
  void start(const strata::FitStart& start);
  [[nodiscard]] bool due();
  void show(const std::string& text);
  void show(const strata::SweepRecord& record);
  void show(const strata::StepRecord& record);
  [[nodiscard]] std::string member(std::size_t number) const;
  [[nodiscard]] std::string objective() const;
  [[nodiscard]] std::string time_left(double seconds) const;

  bool quiet_;
  bool terminal_;
  strata::Clock clock_ = strata::steady_clock();
  double shown_ = 0;  // when the last line was printed
  bool line_open_ = false;
  strata::Stopping limits_;  // of each member
  std::size_t members_ = 1;
  strata::SweepRecord last_;  // the last sweep that ended
};

}  // namespace app
