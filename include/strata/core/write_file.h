#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace strata {

// Replaces a file by other bytes, all or nothing: they go to a temporary file beside it (name.tmp-...), which commit
// flushes to the disk and renames. Whatever fails (full disk, no permission, a directory) is an Error that says why in
// one sentence; the temporary file is gone then, and the file that was there before is untouched. A symbolic link is
// followed, permissions are kept, a write-protected file is refused. What is no file (/dev/null, a pipe) is written to
// directly.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& path);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();  // nothing has happened where there was no commit

  void write(std::string_view bytes);
  void commit();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& temporary() const { return temporary_; }  // empty: written directly

 private:
  void close();

  std::filesystem::path path_;    // as given, for messages
  std::filesystem::path target_;  // links followed
  std::string temporary_;
  int descriptor_ = -1;
  int lock_ = -1;  // tells remove_stale_temporaries that the file is in use
};

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Removes what writers of this file left beside it when they were killed: temporary files that no process has open and
// that are older than a minute. Never fails.
void remove_stale_temporaries(const std::filesystem::path& path) noexcept;

}  // namespace strata
