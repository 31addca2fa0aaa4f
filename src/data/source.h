#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace strata {

// Where the bytes of a table come from, inflated if they were gzipped.
struct ByteSource {
  std::string name;  // for messages
  // From the first byte; a second call reads again, for what cannot be decided in one pass.
  std::function<std::unique_ptr<std::streambuf>()> open;
  std::size_t size = 0;  // bytes, where known and not gzipped
};

// A file; what is none (a pipe, or - for standard input) is kept in memory as it is read where it may be read twice.
ByteSource file_source(const std::filesystem::path& path, bool twice);
ByteSource stream_source(std::istream& in, std::string name);     // read once
ByteSource text_source(std::string_view text, std::string name);  // which must outlive it

}  // namespace strata
