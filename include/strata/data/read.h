#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/data/table.h"
#include "strata/data/text_style.h"

namespace strata {

// How to read a table. ARFF and KEEL files describe themselves: only the column lists, the missing markers and the
// encoding apply to them. What is not given is detected, or the default.
struct ReadOptions {
  TextStyle style = {};
  std::vector<std::string> numeric = {};  // columns whose every cell must be a number or missing
  std::vector<std::string> nominal = {};  // columns of categories, even where they look like numbers
  std::vector<std::string> verbatim =
      {};                    // columns whose cells are kept as they are, missing markers included
  bool listed_only = false;  // other columns are passed over
  // Units of numeric columns, by name ("%"). With listed_only those of the other numeric columns have none.
  std::vector<std::pair<std::string, std::string>> units = {};
  std::vector<std::string> may_lack = {};  // of style.names, those that a file may be without (targets)
  // Bytes that a table may take; 0: half of the machine's memory. A file with more stays on the disk, what is no file is refused.
  std::size_t memory = 0;
  std::size_t threads = 0;  // that parse a large text; 0: one per core
};

// A table that is read from its beginning to its end. A new format implements this and joins the list in
// src/data/formats.cpp.
class TableReader {
 public:
  virtual ~TableReader() = default;

  [[nodiscard]] virtual std::vector<std::string> names()
      const = 0;  // of all columns, in the order of the file

  // The next rows: at least one, at most this many; none at the end. The type of every column must be known before its
  // last cell is seen: from the format or from the lists of the options.
  virtual Table next(std::size_t rows) = 0;

  // All rows. A column whose type is not declared is numeric if all its cells are numbers or missing; one with a few
  // texts among numbers (under one in twenty) is refused rather than taken for categories. Refuses a table without rows.
  virtual Table read_all() = 0;
};

// Opens a file by its extension: .csv, .tsv, .txt and .data are CSV, .arff ARFF, .dat KEEL, each also with .gz, and
// .strata-rows is a packed table (pack_table). A pipe, "-" (standard input) and a .dat file are looked into. Other extensions
// are refused.
std::unique_ptr<TableReader> open_table(const std::filesystem::path& path, const ReadOptions& options = {});
// A text from elsewhere, read once, so that all types must be declared; `name` stands for the file in messages.
std::unique_ptr<TableReader> open_table(std::istream& in, std::string name, const ReadOptions& options = {});

// Where the bytes of a table come from, inflated if they were gzipped.
struct ByteSource {
  std::string name;  // for messages
  // From the first byte; a second call reads again, for what cannot be decided in one pass.
  std::function<std::unique_ptr<std::streambuf>()> open;
  std::size_t size = 0;  // bytes, where known and not gzipped
};

// CSV text of any origin.
std::unique_ptr<TableReader> open_csv(ByteSource source, const ReadOptions& options = {});

// All rows of a file.
Table read_table(const std::filesystem::path& path, const ReadOptions& options = {});

// The same for CSV text already in memory; `name` stands for the file in messages.
Table parse_csv(std::string_view text, const std::string& name, const ReadOptions& options = {});

}  // namespace strata
