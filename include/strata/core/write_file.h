#pragma once

#include <filesystem>
#include <string_view>

namespace strata {

// Replaces a file by these bytes, all or nothing: they go to a temporary file beside it (name.tmp-...), which is
// flushed to the disk and renamed. When that fails (full disk, no permission, a directory) an Error says why in one sentence,
// the temporary file is gone and the file that was there before is untouched. A symbolic link is followed, permissions
// are kept. What is no file (/dev/null, a pipe) is written to directly.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace strata
