// Which reader a file needs: one row for each format.
#include "data/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <set>
#include <span>

#include "data/names.h"
#include "data/rows_reader.h"
#include "data/source.h"
#include "data/text_reader.h"
#include "strata/core/write_file.h"
#include "strata/data/pack.h"
#include "strata/data/read.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

struct Format {
  std::string_view extensions;  // with blanks between them
  std::unique_ptr<TableReader> (*open)(const fs::path&, const ReadOptions&);
  PackedTable (*pack)(const fs::path&, const fs::path& out, const ReadOptions&);
};

// Columns without a type may need a second pass.
bool is_read_twice(const ReadOptions& options) { return !options.listed_only; }

template <HeadReader read_head>
std::unique_ptr<TableReader> open_text(const fs::path& path, const ReadOptions& options) {
  return read_text_table(file_source(path, is_read_twice(options)), read_head, options);
}

template <HeadReader read_head>
PackedTable pack_text(const fs::path& path, const fs::path& out, const ReadOptions& options) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw DataError({path.string()},
                    "this is no file; what is packed may be read twice, so give the name of a file");
  const ByteSource source = file_source(path, false);
  std::set<std::size_t> texts;
  for (;;) {
    FileReplacement file(out);
    RowsFileWriter writer([&](std::string_view bytes) { file.write(bytes); });
    PackedTable packed;
    if (!write_text_groups(source, read_head, options, texts, writer, packed.notices)) continue;
    file.commit();
    packed.rows = writer.rows();
    packed.columns = writer.columns();
    packed.bytes = writer.bytes();
    return packed;
  }
}

std::unique_ptr<TableReader> open_packed(const fs::path& path, const ReadOptions& options) {
  return read_rows_file(open_file(path), path.string(), options);
}

PackedTable refuse_packed(const fs::path& path, const fs::path& /*out*/, const ReadOptions& /*options*/) {
  throw DataError({path.string()}, "it is packed already; copy it, or name the text that it was made of");
}

constexpr std::array formats{
    Format{".csv .tsv .txt .data", open_text<&read_csv_head>, pack_text<&read_csv_head>},
    Format{".arff", open_text<&read_attribute_head>, pack_text<&read_attribute_head>},
    Format{".dat", open_text<nullptr>, pack_text<nullptr>},  // KEEL, or plain numbers
    Format{".strata-rows", open_packed, refuse_packed},
};

struct Foreign {
  std::string_view extensions;
  std::string_view remedy;
  std::string_view reader = "";  // of pandas, where it has one
};

constexpr std::array foreign{
    Foreign{".xlsx .xls .ods",
            "this is a spreadsheet; save it as CSV (File, Save As, CSV UTF-8), or convert it", "read_excel"},
    Foreign{".parquet", "this is no text; use the frame in Python, or convert it", "read_parquet"},
    Foreign{".feather .arrow", "this is no text; use the frame in Python, or convert it", "read_feather"},
    Foreign{".db .sqlite .sqlite3",
            "this is a database; give the rows to read as a query, --sql 'select * from houses', or use the "
            "frame of "
            "pandas.read_sql in Python"},
    Foreign{".zip .bz2 .xz .zst .7z", "this is an archive; unpack it, or pack the table with gzip"}};

// With the line that converts the file.
std::string remedy_of(const Foreign& format, const fs::path& path) {
  std::string remedy(format.remedy);
  if (!format.reader.empty())
    remedy += fmt::format(": python3 -c \"import pandas; pandas.{}('{}').to_csv('{}', index=False)\"",
                          format.reader, path.string(), path.filename().replace_extension(".csv").string());
  return remedy;
}

// .csv of table.csv.gz.
std::string extension_of(const fs::path& path) {
  fs::path plain = path;
  if (lower_case(plain.extension().string()) == ".gz") plain.replace_extension();
  return lower_case(plain.extension().string());
}

template <class Row>
const Row* row_of(std::span<const Row> rows, const std::string& extension) {
  const auto has = [&](const Row& row) {
    const std::string padded = fmt::format(" {} ", row.extensions);
    return !extension.empty() && padded.find(fmt::format(" {} ", extension)) != std::string::npos;
  };
  const auto found = std::ranges::find_if(rows, has);
  return found == rows.end() ? nullptr : &*found;
}

const Format& format_of(const fs::path& path) {
  static constexpr Format by_content{"", open_text<nullptr>, pack_text<nullptr>};
  const std::string extension = extension_of(path);
  if (path == "-") return by_content;
  if (const auto* known = row_of<Format>(formats, extension)) return *known;
  // A wrong name is better answered by "cannot be opened" than by a remark on its extension.
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return by_content;
  if (const auto* other = row_of<Foreign>(foreign, extension))
    throw DataError({path.string()}, remedy_of(*other, path));
  throw DataError({path.string()},
                  "the extension is not known; use .csv, .tsv, .txt, .data, .arff or .dat, each also with "
                  ".gz, or .strata-rows");
}

}  // namespace

bool is_csv(const fs::path& path) { return row_of<Format>(formats, extension_of(path)) == formats.data(); }

std::unique_ptr<TableReader> open_table(const fs::path& path, const ReadOptions& options) {
  return format_of(path).open(path, options);
}

PackedTable pack_table(const fs::path& path, const fs::path& out, const ReadOptions& options) {
  if (extension_of(out) != ".strata-rows")
    throw InvalidOption("out", out.string(),
                        "a packed table is known by its extension; end the name in .strata-rows");
  return format_of(path).pack(path, out, options);
}

std::unique_ptr<TableReader> open_table(std::istream& in, std::string name, const ReadOptions& options) {
  return read_text_table(stream_source(in, std::move(name)), nullptr, options);
}

std::unique_ptr<TableReader> open_csv(ByteSource source, const ReadOptions& options) {
  return read_text_table(std::move(source), &read_csv_head, options);
}

Table read_table(const fs::path& path, const ReadOptions& options) {
  return open_table(path, options)->read_all();
}

Table parse_csv(std::string_view text, const std::string& name, const ReadOptions& options) {
  return open_csv(text_source(text, name), options)->read_all();
}

}  // namespace strata
