#include "core/file_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace strata {

namespace {

FileCalls of_the_system;
FileCalls* in_use = &of_the_system;

}  // namespace

int FileCalls::open(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
ssize_t FileCalls::write(int descriptor, const void* bytes, std::size_t count) {
  return ::write(descriptor, bytes, count);
}
int FileCalls::set_mode(int descriptor, mode_t mode) { return ::fchmod(descriptor, mode); }
int FileCalls::flush(int descriptor) { return ::fsync(descriptor); }
int FileCalls::close(int descriptor) { return ::close(descriptor); }
int FileCalls::rename(const char* from, const char* to) { return ::rename(from, to); }

FileCalls& file_calls() { return *in_use; }
void use_file_calls(FileCalls* calls) { in_use = calls != nullptr ? calls : &of_the_system; }

}  // namespace strata
