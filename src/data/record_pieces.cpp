#include "data/record_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <ios>

#include "data/record_ends.h"
#include "strata/core/errors.h"

namespace strata {

namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 20U;
constexpr std::size_t longest_piece = std::size_t{8} << 20U;  // a record more, at most
constexpr std::size_t longest_record = std::size_t{64} << 20U;

}  // namespace

RecordPieces::RecordPieces(std::unique_ptr<std::streambuf> in, std::string file, Encoding encoding)
    : in_(std::move(in)), file_(std::move(file)), wanted_(encoding) {
  fill();
  carriage_returns_ = buffer_.find('\n') == std::string::npos;
  if (carriage_returns_) std::replace(buffer_.begin(), buffer_.end(), '\r', '\n');
}

std::string_view RecordPieces::head() {
  constexpr auto two_lines = [](std::string_view text) {
    const std::size_t first = text.find('\n');
    return first != std::string_view::npos && text.find('\n', first + 1) != std::string_view::npos;
  };
  while (!ended_ && buffer_.size() < longest_record && !two_lines(buffer_)) fill();
  const auto read = std::string_view(buffer_).substr(begin_);
  return ended_ ? read : read.substr(0, read.rfind('\n') + 1);
}

std::size_t RecordPieces::line_at(std::size_t offset) const {
  return line_ +
         static_cast<std::size_t>(std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                                             buffer_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

// Asks the buffer and not the stream: what a buffer throws, for instance over a damaged gzip file, arrives as it is.
void RecordPieces::fill() {
  buffer_.erase(0, begin_);
  dropped_ += begin_;
  begin_ = 0;
  block_.resize(bytes_at_once);
  std::streamsize count = 0;
  try {
    count = in_->sgetn(block_.data(), static_cast<std::streamsize>(bytes_at_once));
  } catch (const std::ios_base::failure&) {
    throw DataError({file_}, "the file cannot be read; check the disk");
  }
  block_.resize(static_cast<std::size_t>(count));
  ended_ = block_.size() < bytes_at_once;
  if (!decoder_) decoder_.emplace(wanted_, block_);
  const std::size_t kept = buffer_.size();
  if (!decoder_->append(block_, ended_, buffer_))
    throw wrong_encoding(file_, line_at(buffer_.size()), encoding());
  if (carriage_returns_)
    std::replace(buffer_.begin() + static_cast<std::ptrdiff_t>(kept), buffer_.end(), '\r', '\n');
}

std::string_view RecordPieces::take(std::size_t records, const Dialect& dialect) {
  RecordEnds ends(dialect);
  std::size_t cut = 0;   // end of the last whole record, counted from begin_
  std::size_t seen = 0;  // how far the search has come
  bool fresh = true;     // bytes that were not looked at
  for (std::size_t count = 0; count < records && cut < longest_piece;) {
    if (fresh && seen == cut) {
      fresh = false;
      std::size_t found = records - count;
      const auto bytes = std::string_view(buffer_).substr(begin_, longest_piece);
      cut = seen = ends.next_plain(bytes, cut, found);
      count += found;
      continue;
    }
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
    if (seen - cut > longest_record)
      throw DataError(
          {file_, line_at(begin_ + cut)},
          fmt::format("the row that begins here does not end within {} bytes; close its quote, or "
                      "use fewer columns",
                      longest_record));
    fill();
    fresh = true;
  }
  const std::string_view piece = std::string_view(buffer_).substr(begin_, cut);
  last_ = cut;
  facts_ = {.line = line_, .lines = ends.lines(), .quotes = ends.quotes()};
  begin_ += last_;
  line_ += facts_.lines;
  return piece;
}

void RecordPieces::put_back() {
  begin_ -= last_;
  line_ -= facts_.lines;
}

}  // namespace strata
