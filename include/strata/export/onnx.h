#pragma once

#include <filesystem>
#include <string>

#include "strata/model/model.h"

namespace strata {

inline constexpr int onnx_opset = 19;  // the first that compares texts
inline constexpr int onnx_ir = 9;

// A model as an ONNX graph in double precision, from raw columns to predictions; docs/export.md describes inputs and outputs.
std::string onnx_bytes(const Model& model);
void export_onnx(const Model& model, const std::filesystem::path& path);

}  // namespace strata
