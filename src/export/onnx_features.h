#pragma once

#include <string>

#include "export/onnx_graph.h"
#include "export/program.h"

namespace strata::exported {

// Values of the graph.
struct OnnxFeatures {
  std::string value;               // rows x features
  std::string without_prediction;  // rows x 1: true where a row is refused; empty: no row is
};

// Makes the inputs of the graph, and features from them.
OnnxFeatures onnx_features(const Program& program, OnnxGraph& graph);

}  // namespace strata::exported
