#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "exit_codes.h"
#include "signals.h"
#include "strata/core/errors.h"

namespace app {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& name, int error) {
  throw strata::Error(fmt::format("{}: cannot be written ({}); choose another place or check the disk", name,
                                  std::generic_category().message(error)));
}

int open_log(const fs::path& file) {
  constexpr mode_t everybody = 0666;  // less the user's umask
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, everybody);
  if (descriptor < 0) refuse(file.string(), errno);
  return descriptor;
}

}  // namespace

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

int DescriptorBuffer::sync() {
  const char* from = pbase();
  while (error_ == 0 && from < pptr()) {
    const ssize_t count = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
    if (count >= 0) from += count;
    if (count < 0 && errno != EINTR) error_ = errno;
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? 0 : -1;
}

Output::Output() : name_("standard output"), buffer_(STDOUT_FILENO), stream_(&buffer_) {}

Output::Output(const fs::path& file)
    : file_(std::make_unique<strata::FileReplacement>(file)),
      name_(file.string()),
      buffer_(file_->descriptor()),
      stream_(&buffer_) {
  strata::remove_stale_temporaries(file);
  if (!file_->temporary().empty()) remove_when_killed(file_->temporary().c_str());
}

Output Output::to(const std::string& name) {
  return name.empty() || name == "-" ? Output() : Output(fs::path(name));
}

Output::~Output() {
  if (!file_) return;
  file_.reset();
  remove_when_killed(nullptr);
}

void Output::check() {
  if (buffer_.error() == EPIPE && !file_) throw BrokenPipe{};
  if (buffer_.error() != 0) refuse(name_, buffer_.error());
}

void Output::commit() {
  stream_.flush();
  check();
  if (file_) file_->commit();
}

Log::Log(const fs::path& file)
    : descriptor_(open_log(file)), name_(file.string()), buffer_(descriptor_), stream_(&buffer_) {}

Log::~Log() { ::close(descriptor_); }

void Log::check() {
  stream_.flush();
  if (buffer_.error() != 0) refuse(name_, buffer_.error());
}

void reserve_standard_streams() {
  // Reading from the place of an output, and writing to that of the input, fails; the lowest free descriptor is taken.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 &&
        ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      ::_exit(failed);
}

void require_writable(const fs::path& file) {
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (fs::is_directory(file))
    throw strata::Error(fmt::format("{}: is a directory; name a file in it", file.string()));
  if (!fs::is_directory(directory))
    throw strata::Error(fmt::format("{}: its directory does not exist; create it first", file.string()));
  const bool writable =
      fs::exists(file) ? ::access(file.c_str(), W_OK) == 0 : ::access(directory.c_str(), W_OK) == 0;
  if (!writable) refuse(file.string(), errno);
  strata::remove_stale_temporaries(file);
}

}  // namespace app
