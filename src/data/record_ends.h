#pragma once

#include <cstddef>
#include <string_view>

namespace strata {

// Finds where records end by the quoting rules of CellReader, keeping its place when the bytes run out: a quote opens a
// cell or is a letter like any other, two quotes in a quoted cell are one.
class RecordEnds {
 public:
  enum class Place { cell_start, bare, quoted, after_quote };
  static constexpr std::size_t places = 4;

  explicit RecordEnds(char separator, Place place = Place::cell_start)
      : separator_(separator), place_(place) {}

  // The position after the line end that closes the record, or npos when that is not among the bytes.
  std::size_t next(std::string_view bytes, std::size_t from) {
    for (std::size_t at = from; at < bytes.size(); ++at) {
      const char c = bytes[at];
      if (place_ == Place::quoted) {
        if (c == '"') place_ = Place::after_quote;
      } else if (c == '"' && place_ != Place::bare) {
        place_ = Place::quoted;
      } else if (c == '\n') {
        place_ = Place::cell_start;
        return at + 1;
      } else if (c == separator_) {
        place_ = Place::cell_start;
      } else if (place_ != Place::cell_start || (c != ' ' && c != '\t')) {
        place_ = Place::bare;
      }
    }
    return std::string_view::npos;
  }

  [[nodiscard]] Place place() const { return place_; }

 private:
  char separator_;
  Place place_;
};

}  // namespace strata
