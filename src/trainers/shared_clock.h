#pragma once

#include <functional>
#include <utility>

#include "strata/core/clock.h"
#include "strata/parallel/collective.h"

namespace strata {

// The time, and whether the user wants to stop, as the first process sees them. Processes that train together must take
// the same branches, so all look at what the first one said when they last met. A process alone looks itself.
class SharedClock {
 public:
  SharedClock(Clock clock, std::function<bool()> interrupt, Communicator& processes)
      : clock_(std::move(clock)), interrupt_(std::move(interrupt)), processes_(processes) {
    synchronise();
  }

  void synchronise() {
    if (!processes_.alone()) last_ = broadcast_value(processes_, processes_.rank() == 0 ? look() : Moment{});
  }
  [[nodiscard]] double now() const { return processes_.alone() ? clock_() : last_.time; }
  [[nodiscard]] bool wants_to_stop() const {
    return processes_.alone() ? interrupt_ && interrupt_() : last_.stop;
  }

  // The first process's answer to a question that was put to every one.
  [[nodiscard]] bool agreed(bool answer) { return broadcast_value(processes_, answer); }

 private:
  struct Moment {
    double time = 0;
    bool stop = false;
  };
  [[nodiscard]] Moment look() const { return {clock_(), interrupt_ && interrupt_()}; }

  Clock clock_;
  std::function<bool()> interrupt_;
  Communicator& processes_;
  Moment last_;
};

}  // namespace strata
