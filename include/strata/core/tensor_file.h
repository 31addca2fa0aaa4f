#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strata/core/vector.h"

namespace strata {

// Numbers with a name and a shape, row by row. An empty shape is a single number.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::variant<Vector, std::vector<std::uint64_t>> values;  // stored as F64 or U64

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// Named tensors and named texts in one file, in the layout of safetensors (docs/model-format.md).
struct TensorFile {
  std::map<std::string, std::string> metadata = {};
  std::vector<Tensor> tensors = {};
  std::string file = "tensor file";  // for messages; the reader puts the path here

  // Each refuses an unknown name, or a tensor of the other kind, by a DataError that names the file.
  [[nodiscard]] const Tensor& tensor(std::string_view name) const;
  [[nodiscard]] const Vector& numbers(std::string_view name) const;
  [[nodiscard]] const std::vector<std::uint64_t>& integers(std::string_view name) const;
  [[nodiscard]] const std::string& text(const std::string& key) const;
};

inline constexpr std::size_t max_tensor_header = std::size_t{16} << 20U;  // bytes
inline constexpr std::size_t max_tensors = 65536;

// Trusts nothing in the file: whatever is not exactly this format is a DataError that names the file and the fault.
// Memory stays in proportion to the size of the file.
TensorFile read_tensor_file(const std::filesystem::path& path);

// All or nothing, see write_file_atomically. The same contents always give the same bytes.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& contents);

// The same for bytes in memory; `file` stands for the path in messages.
TensorFile parse_tensor_file(std::string_view bytes, const std::string& file);
std::string tensor_file_bytes(const TensorFile& contents);

}  // namespace strata
