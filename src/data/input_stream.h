#pragma once

#include <filesystem>
#include <istream>
#include <memory>

namespace strata {

// A file as a stream, inflated on the way if it is gzipped. A damaged one throws a DataError out of the stream's buffer.
std::unique_ptr<std::istream> open_input(const std::filesystem::path& path);

}  // namespace strata
