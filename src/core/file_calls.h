#pragma once

#include <sys/types.h>

#include <cstddef>

namespace strata {

// The system calls that write files, in one place so that tests can make each of them fail. Results and errno are those
// of the calls themselves.
class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual ssize_t write(int descriptor, const void* bytes, std::size_t count);
  virtual int set_mode(int descriptor, mode_t mode);
  virtual int flush(int descriptor);
  virtual int close(int descriptor);
  virtual int rename(const char* from, const char* to);
};

FileCalls& file_calls();
void use_file_calls(FileCalls* calls);  // for tests; nullptr: those of the system again

}  // namespace strata
