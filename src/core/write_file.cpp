#include "strata/core/write_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include "core/file_calls.h"
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

int open(const fs::path& path, int flags) {
  constexpr mode_t everybody = 0666;  // less the user's umask
  return uninterrupted([&] { return file_calls().open(path.c_str(), flags | O_CLOEXEC, everybody); });
}

// Pipes, devices and some network file systems cannot be flushed, and say so by EINVAL or ENOTSUP.
bool flush(int descriptor) {
  return uninterrupted([&] { return file_calls().flush(descriptor); }) == 0 || errno == EINVAL ||
         errno == ENOTSUP;
}

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

constexpr std::string_view temporary_mark = ".tmp-";
constexpr std::size_t random_digits = 16;

// In the same directory, because a rename cannot cross file systems; by chance, so that nobody can wait there with a link.
std::string temporary_beside(const fs::path& path) {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) refuse(path, errno);
  return path.string() + fmt::format("{}{:0{}x}", temporary_mark, number, random_digits);
}

// The second form, process-count, is that of earlier versions.
bool is_temporary_of(const std::string& target, const std::string& name) {
  const std::string prefix = target + std::string(temporary_mark);
  if (!name.starts_with(prefix)) return false;
  const std::string rest = name.substr(prefix.size());
  if (rest.size() == random_digits && rest.find_first_not_of("0123456789abcdef") == std::string::npos)
    return true;
  return !rest.empty() && rest.find_first_not_of("0123456789-") == std::string::npos;
}

void remove_if_stale(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  // A file that was made a moment ago may not have its lock yet.
  constexpr auto a_minute = std::chrono::seconds(60);
  if (std::chrono::system_clock::now() < std::chrono::system_clock::from_time_t(status.st_mtime) + a_minute)
    return;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(file.c_str());
  ::close(descriptor);
}

// A rename is on the disk once its directory is. One that may not be read cannot be flushed, which is no failure.
void flush_directory(const fs::path& directory, const fs::path& named) {
  const int opened = open(directory, O_RDONLY | O_DIRECTORY);
  if (opened < 0) return;
  const int problem = flush(opened) ? 0 : errno;
  file_calls().close(opened);
  if (problem != 0) refuse(named, problem);
}

}  // namespace

FileReplacement::FileReplacement(const fs::path& path) : path_(path), target_(path) {
  if (path.empty()) throw Error("the name of the file to write is empty; give it a name");
  struct stat before {};
  const bool exists = ::stat(path.c_str(), &before) == 0;
  if ((exists && S_ISDIR(before.st_mode)) || !path.has_filename())
    throw Error(fmt::format("{}: this is a directory; name a file in it", path.string()));
  if (exists && !S_ISREG(before.st_mode)) {
    descriptor_ = open(path, O_WRONLY);
    if (descriptor_ < 0) refuse(path_, errno);
    return;
  }
  if (exists && fs::is_symlink(path)) target_ = fs::canonical(path);
  // A rename asks the directory alone; a file that is write-protected must stay as it is.
  if (exists && ::access(target_.c_str(), W_OK) != 0) refuse(path_, errno);
  constexpr int attempts = 100;
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = temporary_beside(target_);
    descriptor_ = open(temporary_, O_WRONLY | O_CREAT | O_EXCL);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == attempts)) refuse(path_, errno);
  }
  lock_ = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  ::flock(descriptor_, LOCK_EX | LOCK_NB);
  if (exists && file_calls().set_mode(descriptor_, before.st_mode & 07777U) != 0) {
    const int problem = errno;
    close();
    refuse(path_, problem);
  }
}

FileReplacement::~FileReplacement() { close(); }

void FileReplacement::close() {
  if (descriptor_ >= 0) file_calls().close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

void FileReplacement::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count =
        uninterrupted([&] { return file_calls().write(descriptor_, bytes.data(), bytes.size()); });
    if (count <= 0) refuse(path_, count < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void FileReplacement::commit() {
  // Some file systems report a full disk only when the file is closed.
  if (!flush(descriptor_) || file_calls().close(std::exchange(descriptor_, -1)) != 0) refuse(path_, errno);
  if (temporary_.empty()) return;
  if (file_calls().rename(temporary_.c_str(), target_.c_str()) != 0) refuse(path_, errno);
  temporary_.clear();
  flush_directory(directory_of(target_), path_);
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  FileReplacement file(path);
  file.write(bytes);
  file.commit();
}

void remove_stale_temporaries(const fs::path& path) noexcept {
  try {
    const fs::path target = fs::is_symlink(path) ? fs::canonical(path) : path;
    const fs::path directory = directory_of(target);
    // Not the standard library's iterator, which ends the program where there is no memory for a name.
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
    if (entries == nullptr) return;
    while (const dirent* const entry = ::readdir(entries.get()))
      if (is_temporary_of(target.filename().string(), entry->d_name))
        remove_if_stale(directory / entry->d_name);
  } catch (const std::exception&) {  // cleaning is a courtesy
    return;
  }
}

}  // namespace strata
