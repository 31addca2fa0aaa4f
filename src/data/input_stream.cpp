#include "data/input_stream.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <streambuf>
#include <vector>

#include "data/text.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

using GzipFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

// zlib passes on unchanged what is not gzipped.
class InflatingBuffer final : public std::streambuf {
 public:
  explicit InflatingBuffer(const std::filesystem::path& path)
      : name_(path.string()), file_(gzdopen(::dup(::fileno(open_file(path).get())), "rb"), &gzclose) {
    if (!file_) throw DataError({name_}, "not enough memory to read it");
  }

 private:
  int_type underflow() override {
    const int count = gzread(file_.get(), bytes_.data(), static_cast<unsigned>(bytes_.size()));
    refuse_damage();
    if (count <= 0) return traits_type::eof();
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return traits_type::to_int_type(bytes_.front());
  }

  // Of a file that was cut, zlib hands over what there is without a complaint, and only remembers one.
  void refuse_damage() const {
    int code = Z_OK;
    const char* problem = gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_BUF_ERROR)
      throw DataError({name_}, "the gzip data end too early; copy or download the file again");
    throw DataError({name_},
                    fmt::format("the gzip data are corrupt ({}); copy or download the file again", problem));
  }

  std::string name_;
  GzipFile file_;
  std::vector<char> bytes_ = std::vector<char>(std::size_t{1} << 16U);
};

class InputStream final : public std::istream {
 public:
  explicit InputStream(const std::filesystem::path& path) : std::istream(nullptr), buffer_(path) {
    rdbuf(&buffer_);
  }

 private:
  InflatingBuffer buffer_;
};

}  // namespace

std::unique_ptr<std::istream> open_input(const std::filesystem::path& path) {
  return std::make_unique<InputStream>(path);
}

}  // namespace strata
