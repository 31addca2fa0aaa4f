#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/scratch_file.h"
#include "strata/core/stored_vector.h"
#include "strata/core/vector.h"

namespace strata {

void use_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const std::size_t page = MappedBytes::page_bytes();
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  // A system that refuses has small pages, and the same numbers.
  if (bytes > before) ::madvise(static_cast<std::byte*>(memory) + before, bytes - before, MADV_HUGEPAGE);
#endif
}

std::size_t MappedBytes::page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

MappedBytes MappedBytes::scratch(std::size_t bytes) {
  ScratchFile file;
  const std::size_t size = std::max(bytes, std::size_t{1});
  file.reserve(size);  // a disk that fills up under a mapping would end the program
  void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (at == MAP_FAILED) file.refuse(size, errno);
  return {static_cast<std::byte*>(at), size};
}

std::unique_ptr<const MappedBytes> MappedBytes::of_file(int descriptor, std::span<const Piece> pieces) {
  std::size_t size = 0;
  for (const Piece& piece : pieces) size += piece.bytes;
  if (size == 0) return nullptr;
  void* const at = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  std::unique_ptr<const MappedBytes> mapped(new MappedBytes(static_cast<std::byte*>(at), size));
  std::byte* next = mapped->data_;
  for (const Piece& piece : pieces) {
    if (::mmap(next, piece.bytes, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor,
               static_cast<off_t>(piece.offset)) == MAP_FAILED)
      return nullptr;
    next += piece.bytes;
  }
  return mapped;
}

MappedBytes::~MappedBytes() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MappedBytes::release(std::size_t first, std::size_t bytes) const {
  const std::size_t page = page_bytes();
  const std::size_t begin = first / page * page;
  const std::size_t end = std::min(size_, (first + bytes + page - 1) / page * page);
  if (begin < end) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace strata
