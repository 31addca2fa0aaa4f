#pragma once

#include <string>
#include <vector>

#include "export/onnx_graph.h"
#include "export/program.h"

namespace strata::exported {

// First layers with tables, as a graph of standard operators. For numbers: how much of each piece between two knots lies
// below the number, from 0 to 1, times how much the entries differ; for categories: rows of their tables.
class OnnxTables {
 public:
  explicit OnnxTables(OnnxGraph& graph) : graph_(graph) {}

  // Rows x outputs, before the activation.
  std::string apply(const Tables& step, const std::string& x);

 private:
  struct Layout;

  std::string pieces(const Layout& layout, const std::string& x);
  std::string category(const Tables& step, std::size_t column, std::size_t first, const std::string& x);
  std::string column(const std::string& x, std::span<const std::int64_t> which);
  std::string with_sums(const Tables& step, const std::string& x);

  OnnxGraph& graph_;
  std::vector<ColumnBasis> columns_ = {};  // that `shared_` is of: members often have the same
  std::string shared_ = {};
};

}  // namespace strata::exported
