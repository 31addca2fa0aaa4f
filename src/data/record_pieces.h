#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

#include "data/decode.h"
#include "data/dialect.h"
#include "strata/data/read.h"

namespace strata {

// What is known of a piece once it is cut.
struct PieceFacts {
  std::size_t line = 1;   // of its first byte
  std::size_t lines = 0;  // that end in it
  bool quotes = false;    // are in it
};

// Cuts a text into pieces that end where a record ends, so that each can be parsed alone. The bytes become UTF-8 on the
// way. Holds one piece and one block, never the text.
class RecordPieces {
 public:
  // Reads the first block; leaves out a byte order mark.
  RecordPieces(std::unique_ptr<std::streambuf> in, std::string file, Encoding encoding);

  // The beginning of the text up to a line end, two lines at least where there are, to detect the separator in. Before the
  // first take().
  [[nodiscard]] std::string_view head();
  [[nodiscard]] Encoding encoding() const { return decoder_->encoding(); }

  // The next `records` lines, counting blank ones, and a quoted text with its line ends as one; less at the end of the
  // text, and where they are long. Valid until the next call.
  std::string_view take(std::size_t records, const Dialect& dialect);
  void put_back();                                                  // what take() returned last
  [[nodiscard]] const PieceFacts& facts() const { return facts_; }  // of it

  [[nodiscard]] std::size_t line() const { return line_; }  // of the first byte of the next piece
  // Bytes before the next piece, of the file itself where it is in UTF-8.
  [[nodiscard]] std::size_t consumed() const { return decoder_->mark_bytes() + dropped_ + begin_; }

 private:
  void fill();
  [[nodiscard]] std::size_t line_at(std::size_t offset) const;  // of a byte of the buffer

  std::unique_ptr<std::streambuf> in_;
  std::string file_;
  std::optional<Decoder> decoder_;
  Encoding wanted_;
  std::string block_;
  std::string buffer_;
  std::size_t dropped_ = 0;  // bytes that are no longer in the buffer
  std::size_t begin_ = 0;    // of the next piece, in the buffer
  std::size_t last_ = 0;     // bytes of the piece taken last
  PieceFacts facts_;
  std::size_t line_ = 1;
  bool ended_ = false;
  bool carriage_returns_ = false;  // they end lines, as in texts of old Macintosh programs
};

}  // namespace strata
