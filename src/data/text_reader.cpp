#include "data/text_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "core/scratch_file.h"
#include "data/rows_reader.h"
#include "data/table_builder.h"
#include "strata/core/option_text.h"
#include "strata/parallel/engine.h"
#include "strata/parallel/thread_pool.h"

namespace strata {

namespace {

// Few enough for a piece to stay in the cache while it is copied and parsed, and for the first one, which is read slowly, to be a
// small part of a large table.
constexpr std::size_t rows_at_once = 512;

class TextReader final : public TableReader {
 public:
  TextReader(ByteSource source, HeadReader read_head, const ReadOptions& options)
      : source_(std::move(source)),
        read_head_(read_head),
        options_(options),
        pieces_(source_.open(), source_.name, options.style.encoding),
        head_(read_the_head(pieces_)),
        rules_(head_.style) {
    apply_lists(options_, source_.name, head_.columns);
    if (pieces_.encoding() != Encoding::utf8 && options.style.encoding == Encoding::detect)
      head_.notices.push_back(fmt::format("{}: the text is read as {} ({} changes that)", source_.name,
                                          to_string(pieces_.encoding()), option_text("encoding")));
  }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const ColumnDeclaration& column : head_.columns) all.push_back(column.name);
    return all;
  }

  Table next(std::size_t rows) override {
    if (rows == 0) throw InvalidOption("rows", "0", "read at least one row at once");
    for (const ColumnDeclaration& column : head_.columns)
      if (!column.skip && !column.type)
        throw InvalidOption("numeric", "", "declare the columns that are to be read in pieces");
    for (;;) {
      const std::size_t line = pieces_.line();
      const std::string_view records = pieces_.take(rows, head_.dialect);
      if (records.empty()) {
        if (!any_row_) refuse_no_rows();
        return described({});
      }
      const Text text = Text::piece(source_.name, records, line);
      Table table = read_piece(text, {text, text.begin(), line, head_.dialect}, head_.columns, rules_);
      if (table.lines.empty()) continue;  // blank lines
      any_row_ = true;
      return described(std::move(table));
    }
  }

  Table read_all() override {
    TableBuilder builder(head_.columns, source_.name, rules_);
    const std::size_t begin = pieces_.consumed();
    if (CutPiece first; cut(first)) {
      builder.take(*first.text, first.reader(head_.dialect));  // which shows what the columns are
      if (expected_bytes(builder, pieces_.consumed() - begin) > memory()) return read_to_disk();
      builder.reserve(expected_rows(builder, pieces_.consumed() - begin));
      if (!take_pieces(builder)) return read_to_disk();
    }
    if (builder.rows() == 0) refuse_no_rows();
    if (builder.needs_second_pass()) {
      builder.begin_second_pass();
      RecordPieces again(source_.open(), source_.name, options_.style.encoding);
      read_the_head(again);
      each_piece(again, [&](const CellReader& reader) { builder.take_again(reader); });
    }
    return described(builder.finish());
  }

  bool write_groups(std::set<std::size_t>& texts, RowsFileWriter& writer) {
    for (const std::size_t column : texts) head_.columns[column].holds_text = true;
    TableBuilder builder(head_.columns, source_.name, rules_);
    const auto any_late = [&] {
      const std::vector<std::size_t> late = builder.late_columns();
      texts.insert(late.begin(), late.end());
      return !late.empty();
    };
    const std::size_t group_rows = rows_file::group_rows_for(head_.columns.size());
    while (fill_group(builder, group_rows)) {
      if (writer.rows() == 0 && any_late()) return false;  // most are found early
      writer.take(builder.hand_over());
    }
    if (writer.rows() == 0) refuse_no_rows();
    if (any_late()) return false;
    writer.finish(builder.finish_groups(), group_rows, head_.style, head_.outputs);
    return true;
  }
  [[nodiscard]] const std::vector<std::string>& notices() const { return head_.notices; }

 private:
  // False at the end of the text.
  bool fill_group(TableBuilder& builder, std::size_t rows) {
    while (builder.rows() < rows) {
      const std::size_t line = pieces_.line();
      const std::string_view records = pieces_.take(rows - builder.rows(), head_.dialect);
      if (records.empty()) break;
      const Text text = Text::piece(source_.name, records, line);
      builder.take(text, CellReader(text, text.begin(), line, head_.dialect));
    }
    return builder.rows() > 0;
  }

  TextHead read_the_head(RecordPieces& pieces) const {
    if (read_head_ != nullptr) return read_head_(pieces, source_.name, options_);
    return (begins_with_attributes(pieces.head()) ? read_attribute_head : read_csv_head)(pieces, source_.name,
                                                                                         options_);
  }

  // A table for which there is no room is packed into a file without a name, and stays there.
  Table read_to_disk() const {
    if (source_.size == 0) refuse_size();  // what is no file may not be there a second time
    std::set<std::size_t> texts;
    for (;;) {
      ScratchFile file;
      RowsFileWriter writer([&](std::string_view bytes) { file.write(bytes); });
      TextReader again(source_, read_head_, options_);
      if (!again.write_groups(texts, writer)) continue;
      File packed(::fdopen(::dup(file.descriptor()), "rb"), &std::fclose);
      if (!packed) throw DataError({source_.name}, "not enough memory to read it");
      return described(read_rows_file(std::move(packed), source_.name, {.memory = memory()})->read_all());
    }
  }

  struct CutPiece {
    std::optional<Text> text = {};
    PieceFacts facts = {};
    ParsedPiece parsed = {};

    [[nodiscard]] CellReader reader(const Dialect& dialect) const {
      return {*text, text->begin(), facts.line, dialect};
    }
  };

  // False at the end of the text.
  bool cut(CutPiece& piece) {
    const std::string_view records = pieces_.take(rows_at_once, head_.dialect);
    piece.facts = pieces_.facts();
    if (!records.empty()) piece.text = Text::piece(source_.name, records, piece.facts.line);
    return !records.empty();
  }

  // The pieces that all threads parse at a time. Their memory is used again and again.
  struct Round {
    std::vector<CutPiece> pieces;
    std::size_t count = 0;                 // that are in use
    std::exception_ptr problem = nullptr;  // with what follows them
    [[nodiscard]] bool empty() const { return count == 0 && !problem; }
  };

  void cut_round(Round& round) {
    round.count = 0;
    round.problem = nullptr;
    try {
      while (round.count < round.pieces.size() && cut(round.pieces[round.count])) ++round.count;
    } catch (...) {
      round.problem = std::current_exception();
    }
  }

  // In their order: what one reader of all would refuse first is refused. False where the memory has no room.
  bool take_round(TableBuilder& builder, const Round& round) const {
    for (std::size_t p = 0; p < round.count; ++p) {
      const CutPiece& piece = round.pieces[p];
      if (!builder.take(piece.parsed)) builder.take(*piece.text, piece.reader(head_.dialect));
      if (builder.bytes() > memory()) return false;
    }
    if (round.problem) std::rethrow_exception(round.problem);
    return true;
  }

  // All threads parse a round of pieces; one of them first takes over what was parsed before, and cuts the next round.
  bool take_pieces(TableBuilder& builder) {
    Round parsed{std::vector<CutPiece>(1)};
    cut_round(parsed);
    if (parsed.empty()) return true;  // most texts are small
    ThreadPool pool(options_.threads);
    parsed.pieces.resize(2 * pool.threads());
    Round current{std::vector<CutPiece>(parsed.pieces.size())};
    Round next{std::vector<CutPiece>(parsed.pieces.size())};
    bool fits = true;
    for (cut_round(current); fits && !parsed.empty(); std::swap(parsed, current), std::swap(current, next)) {
      const std::vector<CellKind> kinds = builder.kinds();
      pool.run(current.count + 1, [&](std::size_t task, std::size_t /*worker*/) {
        if (task == 0) {
          fits = take_round(builder, parsed);
          if (fits) cut_round(next);
          return;
        }
        CutPiece& piece = current.pieces[task - 1];
        piece.parsed.parse(*piece.text, piece.facts, head_.dialect, kinds, rules_);
      });
    }
    return fits;
  }

  template <class Action>
  void each_piece(RecordPieces& pieces, const Action& action) {
    for (;;) {
      const std::size_t line = pieces.line();
      const std::string_view records = pieces.take(rows_at_once, head_.dialect);
      if (records.empty()) return;
      const Text text = Text::piece(source_.name, records, line);
      action(CellReader(text, text.begin(), line, head_.dialect));
    }
  }

  [[nodiscard]] Table described(Table table) const {
    table.file = source_.name;
    table.outputs = head_.outputs;
    table.style = head_.style;
    table.notices.insert(table.notices.begin(), head_.notices.begin(), head_.notices.end());
    return table;
  }

  [[nodiscard]] std::size_t memory() const {
    return options_.memory > 0 ? options_.memory : default_memory();
  }

  // By the size of the file and of its first piece; a wrong guess costs time or a little memory, nothing else.
  [[nodiscard]] std::size_t expected_rows(const TableBuilder& builder, std::size_t bytes) const {
    if (builder.rows() == 0 || source_.size <= bytes) return builder.rows();
    const double rows = static_cast<double>(source_.size) / static_cast<double>(bytes) *
                        static_cast<double>(builder.rows()) * 1.01;
    return std::min(static_cast<std::size_t>(rows) + 1, memory() / (builder.bytes() / builder.rows()));
  }
  [[nodiscard]] std::size_t expected_bytes(const TableBuilder& builder, std::size_t bytes) const {
    if (builder.rows() == 0 || source_.size <= bytes) return builder.bytes();
    return static_cast<std::size_t>(static_cast<double>(source_.size) / static_cast<double>(bytes) *
                                    static_cast<double>(builder.bytes()));
  }

  [[noreturn]] void refuse_no_rows() const {
    throw DataError({source_.name}, "there is a header but no row; a table needs rows");
  }
  [[noreturn]] void refuse_size() const {
    throw DataError(
        {source_.name},
        fmt::format("its rows take more than {} MB of memory; use fewer rows or columns", memory() >> 20U));
  }

  ByteSource source_;
  HeadReader read_head_;
  ReadOptions options_;
  RecordPieces pieces_;
  TextHead head_;
  CellRules rules_;
  bool any_row_ = false;
};

}  // namespace

std::unique_ptr<TableReader> read_text_table(ByteSource source, HeadReader read_head,
                                             const ReadOptions& options) {
  return std::make_unique<TextReader>(std::move(source), read_head, options);
}

bool write_text_groups(const ByteSource& source, HeadReader read_head, const ReadOptions& options,
                       std::set<std::size_t>& texts, RowsFileWriter& writer,
                       std::vector<std::string>& notices) {
  TextReader reader(source, read_head, options);
  if (!reader.write_groups(texts, writer)) return false;
  notices = reader.notices();
  return true;
}

}  // namespace strata
