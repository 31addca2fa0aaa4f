#include "data/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "strata/core/errors.h"

namespace strata {

namespace {

std::string reason(int code) { return std::generic_category().message(code); }

void refuse_nul(const std::string& file, std::size_t first_line, std::string_view bytes) {
  const std::size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return;
  const auto before = static_cast<std::size_t>(std::ranges::count(bytes.substr(0, nul), '\n'));
  throw DataError({file, first_line + before},
                  "there is a NUL byte, so this is no plain text; save the table as UTF-8 text");
}

}  // namespace

Text Text::piece(std::string file, std::string_view bytes, std::size_t line) {
  refuse_nul(file, line, bytes);
  Text text;
  text.file_ = std::move(file);
  text.size_ = bytes.size();
  text.bytes_ = std::make_unique_for_overwrite<char[]>(bytes.size() + newlines_after);
  std::ranges::copy(bytes, text.bytes_.get());
  std::fill_n(text.bytes_.get() + text.size_, newlines_after, '\n');
  return text;
}

File open_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw DataError({path.string()}, "this is a directory; name a file in it");
  errno = 0;
  File file(std::fopen(path.string().c_str(), "rb"), &std::fclose);
  if (!file)
    throw DataError(
        {path.string()},
        fmt::format("the file cannot be opened ({}); check its name and permissions", reason(errno)));
  return file;
}

std::string read_bytes(const std::filesystem::path& path) {
  const File file = open_file(path);
  std::string bytes;
  constexpr std::size_t at_once = std::size_t{1} << 20U;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + at_once);
    const std::size_t count = std::fread(bytes.data() + before, 1, at_once, file.get());
    bytes.resize(before + count);
    if (count < at_once) break;
  }
  if (std::ferror(file.get()) != 0)
    throw DataError({path.string()},
                    fmt::format("the file cannot be read ({}); check the disk", reason(errno)));
  return bytes;
}

}  // namespace strata
