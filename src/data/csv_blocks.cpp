#include "data/csv_blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "data/csv_header.h"
#include "data/record_ends.h"
#include "data/record_pieces.h"

namespace strata {

namespace {

bool can_be_cut(const std::filesystem::path& path, std::size_t block) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  if (std::filesystem::file_size(path, unknown) <= block || unknown) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(block, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return !start.starts_with("\x1f\x8b") && start.find('\n') != std::string::npos;
}

// Whole records of a file from a place where one begins.
class Blocks {
 public:
  Blocks(std::istream& in, const std::string& file, std::size_t from, std::size_t line, char separator,
         std::size_t bytes)
      : in_(in), file_(file), line_(line), separator_(separator), bytes_(bytes) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(from));
  }

  struct Block {
    Text text;
    std::size_t line;
  };
  // Nothing at the end of the file.
  std::optional<Block> next() {
    std::size_t end = 0;
    while (end == 0 && !ended_) {
      fill();
      end = ended_ ? buffer_.size() : end_of_records();
      if (end == 0 && buffer_.size() > RecordPieces::longest_record)
        throw DataError({file_, line_},
                        fmt::format("the row that begins here does not end within {} bytes; close its quote",
                                    RecordPieces::longest_record));
    }
    if (end == 0) return {};
    const std::string_view records = std::string_view(buffer_).substr(0, end);
    Block block{Text::piece(file_, records, line_), line_};
    line_ += static_cast<std::size_t>(std::count(records.begin(), records.end(), '\n'));
    buffer_.erase(0, end);
    return block;
  }

 private:
  void fill() {
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + bytes_);
    in_.read(buffer_.data() + kept, static_cast<std::streamsize>(bytes_));
    const auto count = static_cast<std::size_t>(in_.gcount());
    buffer_.resize(kept + count);
    ended_ = count < bytes_;
    if (in_.bad()) throw DataError({file_}, "the file cannot be read; check the disk");
  }

  // Of the last whole record in the buffer; 0: none is whole. Without quotes every line end is one.
  [[nodiscard]] std::size_t end_of_records() const {
    if (buffer_.find('"') == std::string::npos) return buffer_.rfind('\n') + 1;
    RecordEnds ends(separator_);
    std::size_t last = 0;
    for (std::size_t end = 0; end != std::string::npos; end = ends.next(buffer_, end)) last = end;
    return last;
  }

  std::istream& in_;
  const std::string& file_;
  std::size_t line_;
  char separator_;
  std::size_t bytes_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace

std::optional<Table> read_csv_in_blocks(const std::filesystem::path& path, const ReadOptions& options,
                                        std::size_t block) {
  if (!can_be_cut(path, block)) return {};
  const std::string file = path.string();
  std::ifstream in(path, std::ios::binary);
  std::size_t body = 0;
  std::size_t line = 1;
  CsvHead head;
  {
    RecordPieces pieces(in, file);
    head = read_csv_head(pieces, file, options);
    body = pieces.consumed();
    line = pieces.line();
  }
  apply_lists(options, head.columns);

  const auto over_blocks = [&](const auto& read) {
    Blocks blocks(in, file, body, line, head.separator, block);
    while (const auto part = blocks.next())
      read(part->text, CellReader(part->text, part->text.begin(), part->line, {.separator = head.separator}));
  };
  std::optional<TableBuilder> table;
  over_blocks([&](const Text& text, const CellReader& reader) {
    if (!table) {  // rows of this length, and some more
      const auto lines = static_cast<double>(std::count(text.begin(), text.end(), '\n') + 1);
      const double expected = lines * static_cast<double>(std::filesystem::file_size(path)) /
                              static_cast<double>(text.view().size() + 1);
      table.emplace(file, head.columns, static_cast<std::size_t>(1.02 * expected) + 1);
    }
    table->read(text, reader);
  });
  if (table && table->begin_second_pass())
    over_blocks([&](const Text& /*text*/, const CellReader& reader) { table->read_again(reader); });
  if (table)
    if (Table read = table->finish(); !read.lines.empty()) return read;
  throw DataError({file}, "there is a header but no row; a table needs rows");
}

}  // namespace strata
