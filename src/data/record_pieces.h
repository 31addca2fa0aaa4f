#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace strata {

// Cuts the bytes of a stream into pieces that end where a record ends, so that each can be parsed alone. Holds one
// piece and one block, never the text.
class RecordPieces {
 public:
  static constexpr std::size_t longest_record = std::size_t{64} << 20U;

  RecordPieces(std::istream& in, std::string file);  // reads the first block; leaves out a byte order mark

  // The beginning of the text up to a line end, to detect the separator in. Before the first take().
  [[nodiscard]] std::string_view head() const;

  // The next `records` lines, counting blank ones, and a quoted text with its line ends as one; less at the end of the
  // text. Valid until the next call.
  std::string_view take(std::size_t records, char separator);
  void put_back();  // what take() returned last

  [[nodiscard]] std::size_t line() const { return line_; }  // of the first byte of the next piece
  [[nodiscard]] std::size_t consumed() const { return dropped_ + begin_; }  // bytes of the stream before it

 private:
  void fill();

  std::istream& in_;
  std::string file_;
  std::string buffer_;
  std::size_t dropped_ = 0;     // bytes that are no longer in the buffer
  std::size_t begin_ = 0;       // of the next piece, in the buffer
  std::size_t last_ = 0;        // bytes of the piece taken last
  std::size_t last_lines_ = 0;  // and its lines
  std::size_t line_ = 1;
  bool ended_ = false;
  bool carriage_returns_ = false;  // they end lines, as in texts of old Macintosh programs
};

}  // namespace strata
