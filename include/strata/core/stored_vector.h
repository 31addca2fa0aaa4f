#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace strata {

// Bytes of a file among the addresses of this process. They are in memory only while they are used, and the system may take
// them from there again.
class MappedBytes {
 public:
  // Of a file without a name in $TMPDIR or /var/tmp, which is gone with this object: zeros at first. Refuses (Error) where the
  // disk has no room for it.
  static MappedBytes scratch(std::size_t bytes);

  struct Piece {
    std::uint64_t offset;
    std::size_t bytes;
  };
  // Pieces of a file, one after the other, to be read only. Offsets, and all sizes but the last, are multiples of
  // page_bytes(). Null where the system does not map them.
  static std::unique_ptr<const MappedBytes> of_file(int descriptor, std::span<const Piece> pieces);
  static std::size_t page_bytes();

  MappedBytes(MappedBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedBytes& operator=(MappedBytes&&) = delete;
  ~MappedBytes();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // These bytes leave the memory; the next use reads them again.
  void release(std::size_t first, std::size_t bytes) const;

 private:
  MappedBytes(std::byte* data, std::size_t size) : data_(data), size_(size) {}

  std::byte* data_;
  std::size_t size_;
};

// A vector in memory, or, where rows take more than there is, in a file. Copies are in memory. What is mapped from a file of
// somebody else is copied to memory before it is written to.
template <class T, class Allocator = std::allocator<T>>
class StoredVector {
 public:
  using Owned = std::vector<T, Allocator>;
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  StoredVector() = default;
  StoredVector(Owned values)  // NOLINT(google-explicit-constructor)
      : owned_(std::move(values)), data_(owned_.data()), size_(owned_.size()) {}
  StoredVector(std::initializer_list<T> values) : StoredVector(Owned(values)) {}
  explicit StoredVector(std::size_t count) : StoredVector(Owned(count)) {}
  // The first numbers of a file without a name, or of somebody else's.
  StoredVector(MappedBytes bytes, std::size_t count)
      : scratch_(std::make_unique<MappedBytes>(std::move(bytes))),
        data_(reinterpret_cast<T*>(scratch_->data())),
        size_(count) {}
  StoredVector(std::unique_ptr<const MappedBytes> file, std::size_t count)
      : file_(std::move(file)), data_(reinterpret_cast<T*>(file_->data())), size_(count) {}
  StoredVector(const StoredVector& other) : StoredVector(Owned(other.begin(), other.end())) {}
  StoredVector(StoredVector&& other) noexcept
      : owned_(std::move(other.owned_)),
        scratch_(std::move(other.scratch_)),
        file_(std::move(other.file_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  StoredVector& operator=(StoredVector other) noexcept {
    std::swap(owned_, other.owned_);
    std::swap(scratch_, other.scratch_);
    std::swap(file_, other.file_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~StoredVector() = default;

  [[nodiscard]] bool in_memory() const { return !scratch_ && !file_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T* data() {
    if (file_) *this = StoredVector(Owned(data_, data_ + size_));
    return data_;
  }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] T& operator[](std::size_t index) { return data()[index]; }
  [[nodiscard]] const T& front() const { return data_[0]; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }

  // All of it as a vector in memory; nothing is left here.
  [[nodiscard]] Owned take() {
    StoredVector left = std::move(*this);
    return left.in_memory() ? std::move(left.owned_) : Owned(left.data_, left.data_ + left.size_);
  }

  // What is in a file leaves the memory until it is used again. Of no effect on a vector in memory.
  void release() const { release(0, size_); }
  void release(std::size_t first, std::size_t count) const {
    const MappedBytes* const mapped = scratch_ ? scratch_.get() : file_.get();
    if (mapped != nullptr) mapped->release(first * sizeof(T), count * sizeof(T));
  }

  friend bool operator==(const StoredVector& a, const StoredVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  Owned owned_;
  std::unique_ptr<MappedBytes> scratch_;
  std::unique_ptr<const MappedBytes> file_;
  T* data_ = nullptr;  // of one of the three
  std::size_t size_ = 0;
};

}  // namespace strata
