#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace strata {

// A whole file in memory, inflated if it was gzipped, without byte order mark, and with one newline after its
// end so that a scanner needs no bounds check.
class Text {
 public:
  Text(std::string file, std::string_view bytes);  // copies; refuses an empty text and NUL bytes

  // A part of a text, taken as it stands: only NUL bytes are refused. `line` is that of its first byte.
  static Text piece(std::string file, std::string_view bytes, std::size_t line);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const char* begin() const { return bytes_.get() + start_; }
  [[nodiscard]] const char* end() const { return bytes_.get() + size_; }  // *end() is a newline
  [[nodiscard]] std::string_view view() const { return {begin(), static_cast<std::size_t>(end() - begin())}; }

 private:
  friend Text read_text(const std::filesystem::path& path);
  Text() = default;
  Text(std::string file, std::unique_ptr<char[]> bytes, std::size_t size);

  std::string file_;
  std::unique_ptr<char[]> bytes_;
  std::size_t start_ = 0;
  std::size_t size_ = 0;
};

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open_file(const std::filesystem::path& path);  // for reading

// Inflates what is gzipped.
Text read_text(const std::filesystem::path& path);

// The file as it stands on the disk.
std::string read_bytes(const std::filesystem::path& path);

}  // namespace strata
