#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "signals.h"
#include "strata/core/errors.h"

namespace app {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& name, int error) {
  throw strata::Error(fmt::format("{}: cannot be written ({}); choose another place or check the disk", name,
                                  std::generic_category().message(error)));
}

bool is_replaced_by_rename(const fs::path& file) { return !fs::exists(file) || fs::is_regular_file(file); }

int open_for_writing(const std::string& path, const std::string& name) {
  constexpr mode_t everybody = 0666;  // less the user's umask
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, everybody);
  if (descriptor < 0) refuse(name, errno);
  return descriptor;
}

std::string temporary_beside(const fs::path& file) {
  return fmt::format("{}.tmp-{}", file.string(), ::getpid());
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

Output::Output(int descriptor, std::string name, std::string temporary)
    : descriptor_(descriptor),
      name_(std::move(name)),
      temporary_(std::move(temporary)),
      buffer_(descriptor),
      stream_(&buffer_) {
  if (!temporary_.empty()) remove_when_killed(temporary_.c_str());
}

Output::Output() : Output(STDOUT_FILENO, "standard output", "") {}

Output::Output(const fs::path& file)
    : Output(open_for_writing(is_replaced_by_rename(file) ? temporary_beside(file) : file.string(),
                              file.string()),
             file.string(), is_replaced_by_rename(file) ? temporary_beside(file) : "") {}

Output Output::to(const std::string& name) {
  return name.empty() || name == "-" ? Output() : Output(fs::path(name));
}

Output Output::log(const fs::path& file) {
  return {open_for_writing(file.string(), file.string()), file.string(), ""};
}

Output::~Output() {
  if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  remove_when_killed(nullptr);
}

void Output::check() {
  if (buffer_.error() == EPIPE && descriptor_ == STDOUT_FILENO) throw BrokenPipe{};
  if (buffer_.error() != 0) refuse(name_, buffer_.error());
}

void Output::commit() {
  stream_.flush();
  check();
  if (temporary_.empty()) return;
  if (::fsync(descriptor_) != 0 || ::rename(temporary_.c_str(), name_.c_str()) != 0) refuse(name_, errno);
  temporary_.clear();
  remove_when_killed(nullptr);
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
}

}  // namespace app
