#pragma once

#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "output.h"
#include "progress.h"
#include "settings.h"
#include "strata/core/errors.h"
#include "strata/model/fit.h"

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
// what is trained on what before them ({"run": ...}) and the training record after them ({"result": ...}); --history has
// sweeps alone.
class Logs {
 public:
  Logs(const Settings& settings, SideFiles& files);
  void attach(strata::FitHooks& hooks, const std::string& data);
  void finish(const strata::FitResult& result);

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
  void trace(std::string_view name, const std::string& object);

  SideFiles& files_;
  std::vector<std::unique_ptr<One>> logs_;
};

}  // namespace app
