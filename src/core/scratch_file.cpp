#include "core/scratch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/file_calls.h"
#include "strata/core/errors.h"

namespace strata {

ScratchFile::ScratchFile() {
  const char* const given = std::getenv("TMPDIR");
  directory_ = given != nullptr && *given != '\0' ? given : "/var/tmp";
  std::string name = directory_ + "/strata-rows-XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) refuse(0, errno);
  ::unlink(name.c_str());
}

ScratchFile::~ScratchFile() { ::close(descriptor_); }

void ScratchFile::refuse(std::size_t bytes, int code) const {
  throw Error(
      fmt::format("{}: rows that do not fit the memory need {} MB there ({}); set TMPDIR to a directory "
                  "of a disk with more room, or allow more memory",
                  directory_, (bytes >> 20U) + 1, std::generic_category().message(code)));
}

void ScratchFile::reserve(std::size_t bytes) {
  if (const int problem = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes)); problem != 0)
    refuse(bytes, problem);
}

void ScratchFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = file_calls().write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) refuse(bytes.size(), count < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace strata
