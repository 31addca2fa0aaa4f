#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strata {

// A file without a name, for what the memory has no room for: gone with the last who has it open. It lies in $TMPDIR, or in
// /var/tmp, because /tmp is often memory itself. Refuses (Error) where the disk has no room.
class ScratchFile {
 public:
  ScratchFile();
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void reserve(std::size_t bytes);     // of the disk, from the first byte on
  void write(std::string_view bytes);  // behind what was written before
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[noreturn]] void refuse(std::size_t bytes, int code) const;

 private:
  std::string directory_;
  int descriptor_ = -1;
};

}  // namespace strata
