#include "model/columns.h"

#include <limits>

#include "data/input_stream.h"
#include "strata/data/csv.h"
#include "strata/data/read.h"

namespace strata {

Table read_model_columns(const Preprocessor& preprocessor, const std::filesystem::path& path,
                         bool with_targets) {
  const ReadOptions options = preprocessor.read_options(with_targets);
  if (file_format(path) != FileFormat::csv) return read_table(path, options);
  const auto in = open_input(path);
  return CsvReader(*in, path.string(), options).next(std::numeric_limits<std::size_t>::max());
}

}  // namespace strata
