#include "strata/core/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "strata/core/errors.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

std::string_view remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "free some space or choose another place";
    case ENOENT:
    case ENOTDIR: return "create its directory first";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a place where you may write";
    default: return "choose another place or check the disk";
  }
}

[[noreturn]] void refuse(const fs::path& path, int code) {
  throw Error(fmt::format("{}: the file cannot be written ({}); {}", path.string(),
                          std::generic_category().message(code), remedy(code)));
}

// A system call again and again until no signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }  // some file systems report a full disk only here

 private:
  int fd_;
};

Descriptor open(const fs::path& path, int flags) {
  constexpr mode_t everybody = 0666;  // less the user's umask
  return Descriptor(uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, everybody); }));
}

// Pipes, devices and some network file systems cannot be flushed, and say so by EINVAL or ENOTSUP.
bool flush(const Descriptor& file) {
  return uninterrupted([&] { return ::fsync(file.get()); }) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = uninterrupted([&] { return ::write(file.get(), bytes.data(), bytes.size()); });
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void write_to(Descriptor& file, std::string_view bytes, const fs::path& named) {
  if (!write_all(file, bytes) || !flush(file) || file.close() != 0) refuse(named, errno);
}

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A name that no other writer uses, in the same directory: a rename cannot cross file systems.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + fmt::format(".tmp-{}-{}", ::getpid(), count++);
}

class TemporaryFile {
 public:
  TemporaryFile(const fs::path& target, const fs::path& named)
      : path_(temporary_beside(target)), file_(open(path_, O_WRONLY | O_CREAT | O_EXCL)) {
    if (!file_.is_open()) refuse(named, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  Descriptor& file() { return file_; }
  [[nodiscard]] bool rename_to(const fs::path& target) {
    renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  fs::path path_;
  Descriptor file_;
  bool renamed_ = false;
};

// A rename is on the disk once its directory is. One that may not be read cannot be flushed, which is no failure.
void flush_directory(const fs::path& directory, const fs::path& named) {
  const Descriptor opened = open(directory, O_RDONLY | O_DIRECTORY);
  if (opened.is_open() && !flush(opened)) refuse(named, errno);
}

void replace(const fs::path& target, const struct stat* before, std::string_view bytes,
             const fs::path& named) {
  // A rename asks the directory alone; a file that is write-protected must stay as it is.
  if (before != nullptr && ::access(target.c_str(), W_OK) != 0) refuse(named, errno);
  TemporaryFile temporary(target, named);
  if (before != nullptr && ::fchmod(temporary.file().get(), before->st_mode & 07777U) != 0)
    refuse(named, errno);
  write_to(temporary.file(), bytes, named);
  if (!temporary.rename_to(target)) refuse(named, errno);
  flush_directory(directory_of(target), named);
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  if (path.empty()) throw Error("the name of the file to write is empty; give it a name");
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if ((exists && S_ISDIR(status.st_mode)) || !path.has_filename())
    throw Error(fmt::format("{}: this is a directory; name a file in it", path.string()));
  if (exists && !S_ISREG(status.st_mode)) {
    Descriptor file = open(path, O_WRONLY);
    if (!file.is_open()) refuse(path, errno);
    return write_to(file, bytes, path);
  }
  const fs::path target = exists && fs::is_symlink(path) ? fs::canonical(path) : path;
  replace(target, exists ? &status : nullptr, bytes, path);
}

}  // namespace strata
