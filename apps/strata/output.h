#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>

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
  static Output to(const std::string& name);             // "" and "-": standard output
  static Output log(const std::filesystem::path& file);  // under its name at once, so that it can be followed
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::ostream& stream() { return stream_; }
  void check();   // throws BrokenPipe or strata::Error if something could not be written
  void commit();  // the last call

 private:
  Output(int descriptor, std::string name, std::string temporary);

  int descriptor_;
  std::string name_;
  std::string temporary_;  // empty: written directly
  DescriptorBuffer buffer_;
  std::ostream stream_;
};

// The reader of standard output has gone: nothing to say, and nobody to say it to.
struct BrokenPipe {};

// Throws strata::Error unless a file of that name could be written: before hours of work, not after.
void require_writable(const std::filesystem::path& file);

}  // namespace app
