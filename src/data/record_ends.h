#pragma once

#include <cstddef>
#include <string_view>

#include "data/dialect.h"
#include "kernels/bytes.h"

namespace strata {

// Finds where records end by the quoting rules of CellReader, keeping its place when the bytes run out: a quote opens a
// cell or is a letter like any other, two quotes in a quoted cell are one.
class RecordEnds {
 public:
  enum class Place { record_start, cell_start, bare, quoted, after_quote, comment, escaped };
  static constexpr std::size_t places_of_csv = 5;  // the others need comments and escapes

  explicit RecordEnds(Dialect dialect, Place place = Place::record_start)
      : dialect_(dialect), place_(place), open_quote_(dialect.quote) {}

  // The position after the line end that closes the record, or npos when that is not among the bytes.
  std::size_t next(std::string_view bytes, std::size_t from) {
    if (const std::size_t end = plain_line(bytes, from); end != std::string_view::npos) return end;
    for (std::size_t at = from; at < bytes.size(); ++at)
      if (closes(bytes[at])) return at + 1;
    return std::string_view::npos;
  }

  // The same at the start of a record, for up to `count` of them at once where no quote is among them; `count` becomes how many were
  // found, which may be none.
  std::size_t next_plain(std::string_view bytes, std::size_t from, std::size_t& count) {
    if (dialect_.single_quotes) count = 0;
    const std::size_t after =
        from + simd_bytes().place_after(bytes.data() + from, bytes.size() - from, '\n', count);
    const std::size_t end = count == 0 ? from : bytes.rfind('\n', after - 1) + 1;
    if (has_quote(bytes.substr(from, end - from))) count = 0;
    lines_ += count;
    return count == 0 ? from : end;
  }

  [[nodiscard]] Place place() const { return place_; }
  [[nodiscard]] std::size_t lines() const { return lines_; }  // that ended in what was searched
  [[nodiscard]] bool quotes() const { return quotes_; }       // were met there

 private:
  // A line without any quote is a record: most are, and the C library finds its end many bytes at a time.
  std::size_t plain_line(std::string_view bytes, std::size_t from) {
    if (place_ != Place::record_start || dialect_.single_quotes) return std::string_view::npos;
    const std::size_t end = bytes.find('\n', from);
    if (end == std::string_view::npos) return end;
    if (has_quote(bytes.substr(from, end - from))) return std::string_view::npos;
    ++lines_;
    return end + 1;
  }

  bool has_quote(std::string_view bytes) {
    const bool found = dialect_.quote != '\0' && bytes.find(dialect_.quote) != std::string_view::npos;
    quotes_ = quotes_ || found;
    return found;
  }

  bool closes(char c) {
    if (c == '\n') ++lines_;
    quotes_ = quotes_ || dialect_.is_quote(c);
    if (place_ == Place::escaped) {
      place_ = Place::quoted;
    } else if (place_ == Place::quoted) {
      if (c == '\\' && dialect_.single_quotes)
        place_ = Place::escaped;
      else if (c == open_quote_)
        place_ = Place::after_quote;
    } else if (c == '\n') {
      place_ = Place::record_start;
      return true;
    } else if (place_ != Place::comment) {
      place_ = after(c);
    }
    return false;
  }

  // Outside quotes and comments.
  Place after(char c) {
    if (place_ == Place::after_quote && c == open_quote_) return Place::quoted;
    if (place_ == Place::record_start && dialect_.comment != '\0' && c == dialect_.comment)
      return Place::comment;
    if (dialect_.separates(c)) return Place::cell_start;
    if (!at_start()) return Place::bare;
    if (c == ' ' || c == '\t') return place_;
    if (!dialect_.is_quote(c)) return Place::bare;
    open_quote_ = c;
    return Place::quoted;
  }

  [[nodiscard]] bool at_start() const { return place_ == Place::record_start || place_ == Place::cell_start; }

  Dialect dialect_;
  Place place_;
  char open_quote_;
  std::size_t lines_ = 0;
  bool quotes_ = false;
};

}  // namespace strata
