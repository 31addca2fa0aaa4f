#pragma once

#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "output.h"
#include "progress.h"
#include "settings.h"
#include "strata/core/errors.h"
#include "strata/trainers/scheme.h"

namespace app {

// Files that a run writes beside the model. One that cannot be written is told once; the run goes on without it, its model
// is worth more, and the program ends with the code of a failure.
class SideFiles {
 public:
  explicit SideFiles(Progress& progress) : progress_(progress) {}

  template <class Write>
  void attempt(const std::string& file, const Write& write) {
    try {
      write();
      lost_.erase(file);
    } catch (const strata::Error& problem) {
      warn(file, problem.what());
    } catch (const std::bad_alloc&) {
      warn(file, file + ": there is not enough memory to write it");
    }
  }
  [[nodiscard]] bool lost(const std::string& file) const { return lost_.contains(file); }
  [[nodiscard]] bool any_lost() const { return !lost_.empty(); }

 private:
  void warn(const std::string& file, const std::string& problem);

  Progress& progress_;
  std::set<std::string> lost_;
};

// Records as lines of JSON while the run goes; a run that is killed leaves what it had. --trace has every step and sweep,
// --history sweeps alone.
class Logs {
 public:
  Logs(const Settings& settings, SideFiles& files);
  void attach(strata::Observers& observers);
  void finish();

 private:
  struct One {
    One(std::string name, bool with_steps) : file(std::move(name)), log(file), steps(with_steps) {}
    std::string file;
    Log log;
    bool steps;
  };
  // Writes what the code says to every log that is still whole: a record with holes would mislead.
  template <class Code>
  void each(const Code& code);

  SideFiles& files_;
  std::vector<std::unique_ptr<One>> logs_;
};

}  // namespace app
