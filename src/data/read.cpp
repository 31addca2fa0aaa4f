#include "strata/data/read.h"

#include "data/names.h"

namespace strata {

Table read_table(const std::filesystem::path& path, const ReadOptions& options) {
  std::filesystem::path plain = path;
  if (lower_case(plain.extension().string()) == ".gz") plain.replace_extension();
  const std::string extension = lower_case(plain.extension().string());
  if (extension == ".arff") return read_arff(path, options);
  if (extension == ".dat") return read_keel(path, options);
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt" || extension == ".data")
    return read_csv(path, options);
  // A wrong name is better answered by "cannot be opened" than by a remark on its extension.
  if (!std::filesystem::is_regular_file(path)) return read_csv(path, options);
  throw DataError(
      {path.string()},
      "the extension is not known; use .csv, .tsv, .txt, .data, .arff or .dat, each also with .gz");
}

}  // namespace strata
