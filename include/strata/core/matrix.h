#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

namespace strata {

// A view of numbers in rows; rows may be further apart than their length (stride >= columns).
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t columns) : MatrixView(data, rows, columns, columns) {}
  MatrixView(T* data, std::size_t rows, std::size_t columns, std::size_t stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {}
  template <class U>
  requires(!std::is_same_v<T, U> && std::is_convertible_v<U*, T*>)
      MatrixView(MatrixView<U> other)  // NOLINT(google-explicit-constructor): a Matrix is a ConstMatrix
      : MatrixView(other.data(), other.rows(), other.columns(), other.stride()) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t size() const { return rows_ * columns_; }

  T& operator()(std::size_t row, std::size_t column) const {
    assert(row < rows_ && column < columns_);
    return data_[row * stride_ + column];
  }
  [[nodiscard]] std::span<T> row(std::size_t r) const { return {data_ + r * stride_, columns_}; }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;
};

using Matrix = MatrixView<double>;
using ConstMatrix = MatrixView<const double>;

}  // namespace strata
