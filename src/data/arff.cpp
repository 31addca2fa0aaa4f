#include "data/attributes.h"
#include "strata/data/read.h"

namespace strata {

Table read_arff(const std::filesystem::path& path, const ReadOptions& options) {
  const Text text = read_text(path);
  AttributeHeader header = read_attributes(text);
  apply_lists(options, header.columns);
  return read_rows(text, header);
}

}  // namespace strata
