#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/data/table.h"

namespace strata {

enum class Header { detect, present, absent };

// How to read a CSV file. ARFF and KEEL files describe themselves: only the column lists apply to them.
struct ReadOptions {
  std::optional<char> separator = {};     // ',', ';' or tab; detected when not given
  Header header = Header::detect;         // detected: present when no cell of the first record is a number
  std::vector<std::string> numeric = {};  // columns whose every cell must be a number or missing
  std::vector<std::string> nominal = {};  // columns of categories, even where they look like numbers
};

enum class FileFormat { csv, arff, keel };

// By the extension: .csv, .tsv, .txt and .data are CSV, .arff ARFF, .dat KEEL; each also with .gz. Other extensions are
// refused, except of what is no file (a pipe, a device), which is taken for CSV.
FileFormat file_format(const std::filesystem::path& path);

// Reads by that format.
// Missing cells are empty, NA, ? or nan, in upper or lower case. A column is numeric if all other cells are
// numbers. A column of numbers with a few texts in it (under one in twenty) is refused rather than taken for
// categories.
Table read_table(const std::filesystem::path& path, const ReadOptions& options = {});

Table read_csv(const std::filesystem::path& path, const ReadOptions& options = {});
Table read_arff(const std::filesystem::path& path, const ReadOptions& options = {});
Table read_keel(const std::filesystem::path& path, const ReadOptions& options = {});

// The same for CSV text already in memory; `name` stands for the file in messages.
Table parse_csv(std::string_view text, const std::string& name, const ReadOptions& options = {});

}  // namespace strata
