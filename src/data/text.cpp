#include "data/text.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>

#include "strata/core/errors.h"

namespace strata {

namespace {

// Bytes that are not set to zero first: the file is written over them at once.
struct Bytes {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  std::size_t capacity = 0;

  void reserve(std::size_t wanted) {
    if (wanted <= capacity) return;
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (size > 0) std::memcpy(larger.get(), data.get(), size);
    data = std::move(larger);
    capacity = wanted;
  }
};

std::string reason(int code) { return std::generic_category().message(code); }

Bytes read_whole(const std::filesystem::path& path) {
  const File file = open_file(path);
  std::error_code unknown_size;  // a pipe has none
  const auto size = std::filesystem::file_size(path, unknown_size);
  Bytes bytes;
  // One byte more than the size lets the first read see the end; one further is for the closing newline.
  bytes.reserve(unknown_size ? std::size_t{1} << 16U : static_cast<std::size_t>(size) + 2);
  for (;;) {
    if (bytes.size + 1 >= bytes.capacity) bytes.reserve(2 * bytes.capacity);
    const std::size_t room = bytes.capacity - bytes.size - 1;
    const std::size_t count = std::fread(bytes.data.get() + bytes.size, 1, room, file.get());
    bytes.size += count;
    if (count < room) break;
  }
  if (std::ferror(file.get()) != 0)
    throw DataError({path.string()},
                    fmt::format("the file cannot be read ({}); check the disk", reason(errno)));
  return bytes;
}

bool is_gzip(const Bytes& bytes) {
  return bytes.size >= 2 && bytes.data[0] == '\x1f' && bytes.data[1] == '\x8b';
}

class Inflater {
 public:
  Inflater(const Bytes& packed, std::string file) : packed_(packed), file_(std::move(file)) {
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&stream_, gzip_window) != Z_OK)
      throw DataError({file_}, "not enough memory to inflate it");
    stream_.next_in = reinterpret_cast<Bytef*>(packed.data.get());
    open_ = true;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (open_) inflateEnd(&stream_);
  }

  Bytes run() {
    Bytes plain;
    plain.reserve(std::max<std::size_t>(4 * packed_.size, std::size_t{1} << 16U));
    while (step(plain)) {
    }
    return plain;
  }

 private:
  // zlib counts in unsigned int: input and output are handed over in pieces that fit.
  static uInt piece(std::size_t bytes) {
    return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
  }
  [[nodiscard]] std::size_t unread() const {
    return packed_.size -
           static_cast<std::size_t>(reinterpret_cast<char*>(stream_.next_in) - packed_.data.get());
  }

  bool step(Bytes& plain) {
    if (plain.size + 1 >= plain.capacity) plain.reserve(2 * plain.capacity);
    stream_.avail_in = piece(unread());
    const uInt room = piece(plain.capacity - plain.size - 1);
    stream_.next_out = reinterpret_cast<Bytef*>(plain.data.get() + plain.size);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    plain.size += room - stream_.avail_out;
    if (status == Z_STREAM_END) return next_member();
    if (status == Z_BUF_ERROR || (status == Z_OK && unread() == 0 && stream_.avail_out > 0))
      throw DataError({file_}, "the gzip data end too early; copy or download the file again");
    if (status != Z_OK)
      throw DataError({file_}, fmt::format("the gzip data are corrupt ({}); copy or download the file again",
                                           stream_.msg != nullptr ? stream_.msg : "unknown format"));
    return true;
  }

  // gzip files may be concatenated; anything else after a member is padding, as gzip itself treats it.
  bool next_member() {
    if (unread() < 2 || stream_.next_in[0] != 0x1fU || stream_.next_in[1] != 0x8bU) return false;
    return inflateReset(&stream_) == Z_OK;
  }

  const Bytes& packed_;
  std::string file_;
  z_stream stream_{};
  bool open_ = false;
};

void refuse_nul(const std::string& file, std::size_t first_line, const char* begin, const char* end) {
  const void* nul = std::memchr(begin, '\0', static_cast<std::size_t>(end - begin));
  if (nul == nullptr) return;
  const auto before = static_cast<std::size_t>(std::count(begin, static_cast<const char*>(nul), '\n'));
  throw DataError({file, first_line + before},
                  "there is a NUL byte, so this is no plain text; save the table as UTF-8 text");
}

// With room for the closing newline.
std::unique_ptr<char[]> copy_of(std::string_view bytes) {
  auto copy = std::make_unique_for_overwrite<char[]>(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return copy;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

Text::Text(std::string file, std::unique_ptr<char[]> bytes, std::size_t size)
    : file_(std::move(file)), bytes_(std::move(bytes)), size_(size) {
  if (std::string_view(bytes_.get(), size_).starts_with(byte_order_mark)) start_ = byte_order_mark.size();
  bytes_[size_] = '\n';
  char* first = bytes_.get() + start_;
  char* last = bytes_.get() + size_;
  refuse_nul(file_, 1, first, last);
  if (std::all_of(first, last, is_blank)) throw DataError({file_}, "the file is empty; a table needs rows");
  // Line ends of a lone carriage return (old Macintosh programs) are made newlines.
  if (std::find(first, last, '\n') == last) std::replace(first, last, '\r', '\n');
}

Text::Text(std::string file, std::string_view bytes) : Text(std::move(file), copy_of(bytes), bytes.size()) {}

Text Text::piece(std::string file, std::string_view bytes, std::size_t line) {
  refuse_nul(file, line, bytes.data(), bytes.data() + bytes.size());
  Text text;
  text.file_ = std::move(file);
  text.bytes_ = copy_of(bytes);
  text.size_ = bytes.size();
  text.bytes_[text.size_] = '\n';
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

Text read_text(const std::filesystem::path& path) {
  Bytes bytes = read_whole(path);
  if (is_gzip(bytes)) bytes = Inflater(bytes, path.string()).run();
  return {path.string(), std::move(bytes.data), bytes.size};
}

std::string read_bytes(const std::filesystem::path& path) {
  const Bytes bytes = read_whole(path);
  return {bytes.data.get(), bytes.size};
}

}  // namespace strata
