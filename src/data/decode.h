#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "strata/core/errors.h"
#include "strata/data/text_style.h"

namespace strata {

// Turns the bytes of a text into UTF-8, block by block.
class Decoder {
 public:
  // Decides by the first block where the encoding is to be detected.
  Decoder(Encoding encoding, std::string_view first_block);

  // Appends a block to `text`; `last`: none follows. False where a byte does not belong to the encoding: text then ends
  // before it.
  bool append(std::string_view block, bool last, std::string& text);

  [[nodiscard]] Encoding encoding() const { return encoding_; }   // never `detect`
  [[nodiscard]] std::size_t mark_bytes() const { return mark_; }  // of the byte order mark

 private:
  bool append_utf8(std::string_view bytes, bool last, std::string& text);
  bool append_utf16(std::string_view bytes, bool last, std::string& text);
  static void append_latin1(std::string_view bytes, std::string& text);

  Encoding encoding_;
  bool big_endian_ = false;
  std::size_t mark_ = 0;
  bool started_ = false;
  std::string pending_;  // the beginning of a character that the next block completes
};

// The refusal of a byte in this line that does not belong to the encoding.
DataError wrong_encoding(const std::string& file, std::size_t line, Encoding encoding);

std::string_view to_string(Encoding encoding);

}  // namespace strata
