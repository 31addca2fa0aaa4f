#include "strata/data/read.h"

#include "data/names.h"

namespace strata {

FileFormat file_format(const std::filesystem::path& path) {
  std::filesystem::path plain = path;
  if (lower_case(plain.extension().string()) == ".gz") plain.replace_extension();
  const std::string extension = lower_case(plain.extension().string());
  if (extension == ".arff") return FileFormat::arff;
  if (extension == ".dat") return FileFormat::keel;
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt" || extension == ".data")
    return FileFormat::csv;
  // A wrong name is better answered by "cannot be opened" than by a remark on its extension.
  if (!std::filesystem::is_regular_file(path)) return FileFormat::csv;
  throw DataError(
      {path.string()},
      "the extension is not known; use .csv, .tsv, .txt, .data, .arff or .dat, each also with .gz");
}

Table read_table(const std::filesystem::path& path, const ReadOptions& options) {
  switch (file_format(path)) {
    case FileFormat::arff: return read_arff(path, options);
    case FileFormat::keel: return read_keel(path, options);
    case FileFormat::csv: break;
  }
  return read_csv(path, options);
}

}  // namespace strata
