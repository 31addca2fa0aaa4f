#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace strata {

// A part of a text in memory, with newlines after its end so that a scanner, also of 64 bytes at a time, needs no bounds check.
class Text {
 public:
  static constexpr std::size_t newlines_after = 64;

  // Copies the bytes; refuses NUL among them. `line` is that of the first byte.
  static Text piece(std::string file, std::string_view bytes, std::size_t line);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const char* begin() const { return bytes_.get(); }
  [[nodiscard]] const char* end() const { return bytes_.get() + size_; }  // *end() is a newline

 private:
  Text() = default;

  std::string file_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open_file(const std::filesystem::path& path);  // for reading

// The file as it stands on the disk.
std::string read_bytes(const std::filesystem::path& path);

}  // namespace strata
