#include "strata/core/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "core/file_calls.h"
#include "strata/core/errors.h"
#include "support/bytes.h"
#include "support/files.h"

namespace strata {
namespace {

using support::contents_of;
using support::files_in;
using support::refusal;
using support::TemporaryDirectory;
using testing::HasSubstr;
using testing::StartsWith;

TEST(WriteFile, WritesANewFileAndReplacesAnOldOne) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  write_file_atomically(path, std::string_view("one\0two", 7));
  EXPECT_EQ(contents_of(path), std::string("one\0two", 7));
  write_file_atomically(path, "");
  EXPECT_EQ(contents_of(path), "");
  EXPECT_EQ(files_in(directory.path()), 1U);
}

TEST(WriteFile, RefusesADirectoryAndAPlaceThatIsNotThere) {
  const TemporaryDirectory directory;
  EXPECT_THAT(refusal<Error>([&] { write_file_atomically(directory.path(), "x"); }),
              HasSubstr("this is a directory; name a file in it"));
  EXPECT_THAT(refusal<Error>([&] { write_file_atomically(directory.path() / "new" / "", "x"); }),
              HasSubstr("this is a directory"));
  const auto nowhere = directory.path() / "none" / "file";
  const std::string message = refusal<Error>([&] { write_file_atomically(nowhere, "x"); });
  EXPECT_THAT(message, StartsWith(nowhere.string() + ": the file cannot be written"));
  EXPECT_THAT(message, HasSubstr("create its directory first"));
  EXPECT_THAT(refusal<Error>([] { write_file_atomically("", "x"); }), HasSubstr("give it a name"));
}

TEST(WriteFile, NamesAFullDisk) {
  EXPECT_EQ(refusal<Error>([] { write_file_atomically("/dev/full", "x"); }),
            "/dev/full: the file cannot be written (No space left on device); free some space or choose "
            "another place");
}

// A limit on the size of files makes the write fail in its middle, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(WriteFile, LeavesThePreviousFileIntactAndNothingElseWhenTheWriteFailsInItsMiddle) {
  const TemporaryDirectory directory;
  const auto path = directory.file("model", "what was there before");
  std::string message;
  {
    const FileSizeLimit limit(4096);
    message = refusal<Error>([&] { write_file_atomically(path, std::string(100000, 'x')); });
  }
  EXPECT_THAT(message, HasSubstr("free some space"));
  EXPECT_EQ(contents_of(path), "what was there before");
  EXPECT_EQ(files_in(directory.path()), 1U);
}

TEST(WriteFile, FollowsALinkAndKeepsPermissions) {
  const TemporaryDirectory directory;
  const auto target = directory.file("target", "old");
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  const auto link = directory.path() / "link";
  std::filesystem::create_symlink("target", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(contents_of(target), "new");
  EXPECT_EQ(std::filesystem::status(target).permissions(), std::filesystem::perms{0640});
}

TEST(WriteFile, LeavesAWriteProtectedFileAlone) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is protected from root";
  const TemporaryDirectory directory;
  const auto path = directory.file("model", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  EXPECT_THAT(refusal<Error>([&] { write_file_atomically(path, "new"); }),
              HasSubstr("choose a place where you may write"));
  EXPECT_EQ(contents_of(path), "old");
}

// The n-th system call fails, or does half of what it is asked to do.
class FailingCalls : public FileCalls {
 public:
  enum class Fault { fails, is_short, is_interrupted };
  FailingCalls(int which, Fault fault) : which_(which), fault_(fault) { use_file_calls(this); }
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;
  ~FailingCalls() override { use_file_calls(nullptr); }
  [[nodiscard]] bool reached() const { return count_ > which_; }

  int open(const char* path, int flags, mode_t mode) override {
    return fails() ? -1 : FileCalls::open(path, flags, mode);
  }
  ssize_t write(int descriptor, const void* bytes, std::size_t count) override {
    if (!fails()) return FileCalls::write(descriptor, bytes, count);
    return fault_ == Fault::is_short ? FileCalls::write(descriptor, bytes, (count + 1) / 2) : -1;
  }
  int set_mode(int descriptor, mode_t mode) override {
    return fails() ? -1 : FileCalls::set_mode(descriptor, mode);
  }
  int flush(int descriptor) override { return fails() ? -1 : FileCalls::flush(descriptor); }
  int close(int descriptor) override {
    const int result = FileCalls::close(descriptor);  // a descriptor is gone even where closing it fails
    return fails() ? -1 : result;
  }
  int rename(const char* from, const char* to) override { return fails() ? -1 : FileCalls::rename(from, to); }

 private:
  bool fails() {
    errno = fault_ == Fault::is_interrupted ? EINTR : ENOSPC;
    return count_++ == which_;
  }

  int which_;
  Fault fault_;
  int count_ = 0;
};

// Every system call of a write fails once: the file holds all of the old bytes or all of the new ones, nothing is left
// beside it, and a failure is told.
TEST(WriteFile, WhateverCallFailsTheFileIsWholeAndTheFailureIsTold) {
  int failures = 0;
  for (int which = 0;; ++which) {
    const TemporaryDirectory directory;
    const auto path = directory.file("model", "before");
    std::string problem;
    bool reached = false;
    {
      const FailingCalls calls(which, FailingCalls::Fault::fails);
      try {
        write_file_atomically(path, "after");
      } catch (const Error& error) {
        problem = error.what();
      }
      reached = calls.reached();
    }
    EXPECT_EQ(files_in(directory.path()), 1U) << which;
    const std::string contents = contents_of(path);
    EXPECT_TRUE(contents == "after" || (contents == "before" && !problem.empty()))
        << which << ": " << contents;
    if (!problem.empty()) {
      EXPECT_THAT(problem, StartsWith(path.string() + ": the file cannot be written (No space left"));
      ++failures;
    }
    if (!reached) break;
  }
  EXPECT_GE(failures, 6);  // open, mode, write, flush, close, rename
}

TEST(WriteFile, ShortAndInterruptedCallsLoseNothing) {
  for (const auto fault : {FailingCalls::Fault::is_short, FailingCalls::Fault::is_interrupted}) {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "file";
    // 0 opens the temporary file, 1 writes it, 2 flushes it.
    for (const int which : {1, 2}) {
      if (which == 2 && fault == FailingCalls::Fault::is_short) continue;
      const FailingCalls calls(which, fault);
      write_file_atomically(path, "all of these bytes");
      EXPECT_TRUE(calls.reached());
      EXPECT_EQ(contents_of(path), "all of these bytes");
    }
  }
}

// A disk that keeps what is written in its memory until it is told to flush, and that may lose a rename until its directory
// is flushed. After every call the power may go: the name must stand for all of the old bytes or all of the new ones.
class DelayingDisk : public FileCalls {
 public:
  DelayingDisk(std::string before, std::string after) : before_(std::move(before)), after_(std::move(after)) {
    use_file_calls(this);
  }
  DelayingDisk(const DelayingDisk&) = delete;
  DelayingDisk& operator=(const DelayingDisk&) = delete;
  ~DelayingDisk() override { use_file_calls(nullptr); }

  int open(const char* path, int flags, mode_t mode) override {
    const int descriptor = FileCalls::open(path, flags, mode);
    if ((flags & O_DIRECTORY) != 0) directory_ = descriptor;
    return descriptor;
  }
  ssize_t write(int descriptor, const void* bytes, std::size_t count) override {
    written_.append(static_cast<const char*>(bytes), count);
    return checked(FileCalls::write(descriptor, bytes, count));
  }
  int flush(int descriptor) override {
    (descriptor == directory_ ? rename_on_disk_ : bytes_on_disk_) = true;
    on_disk_ = written_;
    return checked(FileCalls::flush(descriptor));
  }
  int rename(const char* from, const char* to) override {
    renamed_ = true;
    return checked(FileCalls::rename(from, to));
  }

  // What a loss of power leaves behind the name, in the worst case.
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> contents;
    if (!rename_on_disk_) contents.push_back(before_);
    if (renamed_) contents.push_back(bytes_on_disk_ ? on_disk_ : "");
    return contents;
  }

 private:
  template <class Result>
  Result checked(Result result) const {
    EXPECT_THAT(left(), testing::Each(testing::AnyOf(before_, after_)));
    return result;
  }

  std::string before_;
  std::string after_;
  std::string written_;
  std::string on_disk_;
  int directory_ = -1;
  bool bytes_on_disk_ = false;
  bool rename_on_disk_ = false;
  bool renamed_ = false;
};

TEST(WriteFile, PowerLostAtAnyCallLeavesAWholeFileAndAfterwardsTheNewOne) {
  const TemporaryDirectory directory;
  const auto path = directory.file("model", "before");
  const DelayingDisk disk("before", "after");
  write_file_atomically(path, "after");
  EXPECT_THAT(disk.left(), testing::ElementsAre("after"));
}

TEST(WriteFile, FilesThatKilledWritersLeftAreNoObstacleAndAreRemovedWhenOld) {
  const TemporaryDirectory directory;
  const auto path = directory.file("model", "before");
  const auto old = directory.file(fmt::format("model.tmp-{}-0", ::getpid()), "half");
  const auto of_today = directory.file("model.tmp-0123456789abcdef", "half");
  const auto young = directory.file("model.tmp-fedcba9876543210", "half");
  const auto other = directory.file("model.tmp-backup", "mine");
  const auto hour_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& file : {old, of_today, other}) std::filesystem::last_write_time(file, hour_ago);
  remove_stale_temporaries(path);
  write_file_atomically(path, "after");
  EXPECT_EQ(contents_of(path), "after");
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_FALSE(std::filesystem::exists(of_today));
  EXPECT_TRUE(std::filesystem::exists(young));  // may be in use on another machine
  EXPECT_TRUE(std::filesystem::exists(other));  // of somebody else
}

TEST(WriteFile, AFileThatIsBeingWrittenIsNotStale) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "model";
  FileReplacement writer(path);
  writer.write("after");
  std::filesystem::last_write_time(writer.temporary(),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  remove_stale_temporaries(path);
  writer.commit();
  EXPECT_EQ(contents_of(path), "after");
}

}  // namespace
}  // namespace strata
