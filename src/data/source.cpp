#include "data/source.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <istream>
#include <system_error>
#include <vector>

#include "data/text.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

using GzipFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

// zlib passes on unchanged what is not gzipped.
class InflatingBuffer final : public std::streambuf {
 public:
  InflatingBuffer(int descriptor, std::string name)
      : name_(std::move(name)), file_(gzdopen(descriptor, "rb"), &gzclose) {
    if (!file_) throw DataError({name_}, "not enough memory to read it");
  }

 private:
  int_type underflow() override {
    const std::size_t count = read(bytes_.data(), bytes_.size());
    if (count == 0) return traits_type::eof();
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return traits_type::to_int_type(bytes_.front());
  }

  // What zlib only passes on it then reads straight to where it is wanted.
  std::streamsize xsgetn(char* to, std::streamsize wanted) override {
    const std::streamsize held = std::min<std::streamsize>(wanted, egptr() - gptr());
    std::copy_n(gptr(), held, to);
    setg(eback(), gptr() + held, egptr());
    std::streamsize taken = held;
    while (taken < wanted) {
      const std::size_t count = read(to + taken, static_cast<std::size_t>(wanted - taken));
      if (count == 0) break;
      taken += static_cast<std::streamsize>(count);
    }
    return taken;
  }

  std::size_t read(char* to, std::size_t most) {
    constexpr std::size_t at_once = std::size_t{1} << 20U;
    errno = 0;
    const int count = gzread(file_.get(), to, static_cast<unsigned>(std::min(most, at_once)));
    refuse_damage();
    return static_cast<std::size_t>(std::max(count, 0));
  }

  // Of a file that was cut, zlib hands over what there is without a complaint, and only remembers one.
  void refuse_damage() const {
    int code = Z_OK;
    const char* problem = gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_ERRNO)
      throw DataError({name_}, fmt::format("the file cannot be read ({}); check the disk",
                                           std::generic_category().message(errno)));
    if (code == Z_BUF_ERROR)
      throw DataError({name_}, "the gzip data end too early; copy or download the file again");
    throw DataError({name_},
                    fmt::format("the gzip data are corrupt ({}); copy or download the file again", problem));
  }

  std::string name_;
  GzipFile file_;
  std::vector<char> bytes_ = std::vector<char>(std::size_t{1} << 16U);
};

// Bytes of somebody else.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // the get area is not written to
    setg(begin, begin, begin + text.size());
  }
};

// Passes on what can be read once: the bytes of somebody else, or its own, which it then keeps.
class PassingBuffer final : public std::streambuf {
 public:
  explicit PassingBuffer(std::streambuf& in) : in_(&in) {}
  PassingBuffer(std::unique_ptr<std::streambuf> in, std::string& kept)
      : own_(std::move(in)), in_(own_.get()), kept_(&kept) {}

 private:
  int_type underflow() override {
    const std::streamsize count = in_->sgetn(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    if (count <= 0) return traits_type::eof();
    if (kept_ != nullptr) kept_->append(bytes_.data(), static_cast<std::size_t>(count));
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return traits_type::to_int_type(bytes_.front());
  }

  std::unique_ptr<std::streambuf> own_;
  std::streambuf* in_;
  std::string* kept_ = nullptr;
  std::vector<char> bytes_ = std::vector<char>(std::size_t{1} << 16U);
};

std::unique_ptr<std::streambuf> inflated(int descriptor, const std::string& name) {
  return std::make_unique<InflatingBuffer>(descriptor, name);
}

// What can be read once: the first pass keeps the bytes for the second.
std::function<std::unique_ptr<std::streambuf>()> kept(
    const std::function<std::unique_ptr<std::streambuf>()>& open) {
  return [open, bytes = std::make_shared<std::string>(),
          started = false]() mutable -> std::unique_ptr<std::streambuf> {
    if (started) return std::make_unique<ViewBuffer>(*bytes);
    started = true;
    return std::make_unique<PassingBuffer>(open(), *bytes);
  };
}

}  // namespace

ByteSource file_source(const std::filesystem::path& path, bool twice) {
  const bool input = path == "-";
  const std::string name = input ? "standard input" : path.string();
  const auto open = [path, name, input] {
    return inflated(::dup(input ? STDIN_FILENO : ::fileno(open_file(path).get())), name);
  };
  std::error_code ignored;
  if (!input && std::filesystem::is_regular_file(path, ignored))
    return {name, open, static_cast<std::size_t>(std::filesystem::file_size(path, ignored))};
  if (twice) return {name, kept(open)};
  return {name, open};
}

ByteSource stream_source(std::istream& in, std::string name) {
  return {std::move(name), [&in] { return std::make_unique<PassingBuffer>(*in.rdbuf()); }};
}

ByteSource text_source(std::string_view text, std::string name) {
  return {std::move(name), [text] { return std::make_unique<ViewBuffer>(text); }, text.size()};
}

}  // namespace strata
