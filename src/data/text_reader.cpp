#include "data/text_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "data/table_builder.h"
#include "strata/core/option_text.h"

namespace strata {

namespace {

constexpr std::size_t rows_at_once = 16384;

std::size_t half_of_the_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

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
    bool first = true;
    each_piece(pieces_, [&](const Text& text, const CellReader& reader) {
      builder.take(text, reader);
      if (builder.bytes() > memory()) refuse_size();
      if (first) builder.reserve(expected_rows(builder, pieces_.consumed() - begin));
      first = false;
    });
    if (builder.rows() == 0) refuse_no_rows();
    if (builder.needs_second_pass()) {
      builder.begin_second_pass();
      RecordPieces again(source_.open(), source_.name, options_.style.encoding);
      read_the_head(again);
      each_piece(again, [&](const Text&, const CellReader& reader) { builder.take_again(reader); });
    }
    return described(builder.finish());
  }

 private:
  TextHead read_the_head(RecordPieces& pieces) const {
    if (read_head_ != nullptr) return read_head_(pieces, source_.name, options_);
    return (begins_with_attributes(pieces.head()) ? read_attribute_head : read_csv_head)(pieces, source_.name,
                                                                                         options_);
  }

  template <class Action>
  void each_piece(RecordPieces& pieces, const Action& action) {
    for (;;) {
      const std::size_t line = pieces.line();
      const std::string_view records = pieces.take(rows_at_once, head_.dialect);
      if (records.empty()) return;
      const Text text = Text::piece(source_.name, records, line);
      action(text, CellReader(text, text.begin(), line, head_.dialect));
    }
  }

  [[nodiscard]] Table described(Table table) const {
    table.file = source_.name;
    table.outputs = head_.outputs;
    table.style = head_.style;
    table.notices = head_.notices;
    return table;
  }

  [[nodiscard]] std::size_t memory() const {
    static const std::size_t half = half_of_the_memory();
    return options_.memory > 0 ? options_.memory : half;
  }

  // By the size of the file and of its first piece; a wrong guess costs time or a little memory, nothing else.
  [[nodiscard]] std::size_t expected_rows(const TableBuilder& builder, std::size_t bytes) const {
    if (builder.rows() == 0 || source_.size <= bytes) return builder.rows();
    const double rows = static_cast<double>(source_.size) / static_cast<double>(bytes) *
                        static_cast<double>(builder.rows()) * 1.01;
    return std::min(static_cast<std::size_t>(rows) + 1, memory() / (builder.bytes() / builder.rows()));
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

}  // namespace strata
