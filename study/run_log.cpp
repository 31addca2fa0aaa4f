#include "study/run_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "strata/core/errors.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path) {
  throw Error(fmt::format("{}: the file cannot be written ({}); choose another place or check the disk",
                          path.string(), std::generic_category().message(errno)));
}

// Bytes up to the end of the last whole line.
std::size_t whole_lines(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.rfind('\n') + 1;  // npos + 1 is 0
}

}  // namespace

RunLog::RunLog(const fs::path& directory) : path_(directory / runs_file) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  constexpr mode_t everybody = 0666;  // less the user's umask
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, everybody);
  if (descriptor_ < 0) refuse(path_);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw Error(
        fmt::format("{}: another process is writing this study; wait for it or choose another directory",
                    path_.string()));
  }
  const std::size_t whole = whole_lines(path_);
  cut_ = whole < fs::file_size(path_);
  if (cut_ && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
    ::close(descriptor_);
    refuse(path_);
  }
}

RunLog::~RunLog() { ::close(descriptor_); }

void RunLog::append(const std::string& record) {
  const std::string line = record + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const auto count = ::write(descriptor_, line.data() + written, line.size() - written);
    if (count < 0 && errno != EINTR) refuse(path_);
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) refuse(path_);
}

}  // namespace strata
