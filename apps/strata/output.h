#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

#include "strata/core/write_file.h"

namespace app {

// A stream to a file descriptor that remembers why writing failed.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  [[nodiscard]] int error() const { return error_; }  // errno of the write that failed; 0: none did

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  int descriptor_;
  int error_ = 0;
  std::array<char, 1U << 16U> buffer_;
};

// Where results go: standard output, or a file that appears under its name only when it is finished (commit).
class Output {
 public:
  Output();  // standard output
  explicit Output(const std::filesystem::path& file);
  static Output to(const std::string& name);  // "" and "-": standard output
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::ostream& stream() { return stream_; }
  void check();   // throws BrokenPipe or strata::Error if something could not be written
  void commit();  // the last call

 private:
  std::unique_ptr<strata::FileReplacement> file_;  // null: standard output
  std::string name_;
  DescriptorBuffer buffer_;
  std::ostream stream_;
};

// A file that is there under its name at once, so that it can be followed, line by line.
class Log {
 public:
  explicit Log(const std::filesystem::path& file);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  std::ostream& stream() { return stream_; }
  void check();  // flushes; throws strata::Error if something could not be written

 private:
  int descriptor_;
  std::string name_;
  DescriptorBuffer buffer_;
  std::ostream stream_;
};

// The reader of standard output has gone: nothing to say, and nobody to say it to.
struct BrokenPipe {};

// Opens what is closed of standard input, output and error, in a way that fails when it is used: no file that is opened
// later can take its place and get what was meant for it.
void reserve_standard_streams();

// Throws strata::Error unless a file of that name could be written: before hours of work, not after.
void require_writable(const std::filesystem::path& file);

}  // namespace app
