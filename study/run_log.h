#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "study/record.h"

namespace strata {

// runs.jsonl while a study writes to it. Opening it cuts a last line without an end, which a killed program left, and
// refuses a study that another process is writing.
class RunLog {
 public:
  explicit RunLog(const std::filesystem::path& directory);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  [[nodiscard]] bool cut() const { return cut_; }  // there was half a line
  void append(const std::string& record);          // one line, on the disk when this returns

 private:
  std::filesystem::path path_;
  int descriptor_;
  bool cut_ = false;
};

}  // namespace strata
