#include "data/record_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>

#include "data/record_ends.h"
#include "data/text.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 20U;

}  // namespace

RecordPieces::RecordPieces(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {
  fill();
  if (buffer_.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
  carriage_returns_ = buffer_.find('\n') == std::string::npos;
  if (carriage_returns_) std::replace(buffer_.begin(), buffer_.end(), '\r', '\n');
}

std::string_view RecordPieces::head() const {
  const auto read = std::string_view(buffer_).substr(begin_);
  return ended_ ? read : read.substr(0, read.rfind('\n') + 1);
}

// Asks the buffer and not the stream: what a buffer throws, for instance over a damaged gzip file, arrives as it is.
void RecordPieces::fill() {
  buffer_.erase(0, begin_);
  dropped_ += begin_;
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + bytes_at_once);
  std::streamsize count = 0;
  try {
    count = in_.rdbuf()->sgetn(buffer_.data() + kept, static_cast<std::streamsize>(bytes_at_once));
  } catch (const std::ios_base::failure&) {
    throw DataError({file_}, "the file cannot be read; check the disk");
  }
  buffer_.resize(kept + static_cast<std::size_t>(count));
  ended_ = static_cast<std::size_t>(count) < bytes_at_once;
  if (carriage_returns_)
    std::replace(buffer_.begin() + static_cast<std::ptrdiff_t>(kept), buffer_.end(), '\r', '\n');
}

std::string_view RecordPieces::take(std::size_t records, char separator) {
  RecordEnds ends(separator);
  std::size_t cut = 0;   // end of the last whole record, counted from begin_
  std::size_t seen = 0;  // how far the search has come
  for (std::size_t count = 0; count < records;) {
    const std::size_t end = ends.next(std::string_view(buffer_).substr(begin_), seen);
    if (end != std::string_view::npos) {
      cut = seen = end;
      ++count;
      continue;
    }
    seen = buffer_.size() - begin_;
    if (ended_) {
      cut = seen;
      break;
    }
    if (seen - cut > longest_record) {
      const auto before = std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                                     buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + cut), '\n');
      throw DataError({file_, line_ + static_cast<std::size_t>(before)},
                      fmt::format("the row that begins here does not end within {} bytes; close its quote",
                                  longest_record));
    }
    fill();
  }
  const std::string_view piece = std::string_view(buffer_).substr(begin_, cut);
  last_ = cut;
  last_lines_ = static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
  begin_ += last_;
  line_ += last_lines_;
  return piece;
}

void RecordPieces::put_back() {
  begin_ -= last_;
  line_ -= last_lines_;
}

}  // namespace strata
