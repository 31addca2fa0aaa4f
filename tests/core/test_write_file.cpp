#include "strata/core/write_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

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

}  // namespace
}  // namespace strata
