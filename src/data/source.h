#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "strata/data/read.h"

namespace strata {

// A file; what is none (a pipe, or - for standard input) is kept in memory as it is read where it may be read twice.
ByteSource file_source(const std::filesystem::path& path, bool twice);
ByteSource stream_source(std::istream& in, std::string name);     // read once
ByteSource text_source(std::string_view text, std::string name);  // which must outlive it

}  // namespace strata
