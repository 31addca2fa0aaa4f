#include "data/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "data/names.h"
#include "strata/core/option_text.h"

namespace strata {

namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
constexpr std::string_view little_mark = "\xff\xfe";
constexpr std::string_view big_mark = "\xfe\xff";

unsigned byte(char c) { return static_cast<unsigned char>(c); }

bool is_continuation(char c) { return (byte(c) & 0xC0U) == 0x80U; }

// Bytes of the character that begins here; 0 when none does.
std::size_t utf8_length(char first) {
  const unsigned b = byte(first);
  if (b < 0x80) return 1;
  if (b >= 0xC2 && b < 0xE0) return 2;
  if (b >= 0xE0 && b < 0xF0) return 3;
  if (b >= 0xF0 && b < 0xF5) return 4;
  return 0;
}

// Where the first byte stands that is no UTF-8; a character cut off by the end counts as well.
std::size_t valid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::array<std::uint64_t, 4> words{};
    if (at + sizeof words <= bytes.size()) {  // most texts are ASCII nearly everywhere
      std::memcpy(words.data(), bytes.data() + at, sizeof words);
      if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080U) == 0) {
        at += sizeof words;
        continue;
      }
    }
    const std::size_t length = utf8_length(bytes[at]);
    if (length == 0 || at + length > bytes.size()) return at;
    for (std::size_t k = 1; k < length; ++k)
      if (!is_continuation(bytes[at + k])) return at;
    if (length == 3 && byte(bytes[at]) == 0xE0 && byte(bytes[at + 1]) < 0xA0) return at;  // overlong
    if (length == 3 && byte(bytes[at]) == 0xED && byte(bytes[at + 1]) > 0x9F) return at;  // surrogate
    if (length == 4 && byte(bytes[at]) == 0xF0 && byte(bytes[at + 1]) < 0x90) return at;
    if (length == 4 && byte(bytes[at]) == 0xF4 && byte(bytes[at + 1]) > 0x8F) return at;
    at += length;
  }
  return at;
}

// Whether what is left could be the beginning of a character.
bool is_cut_character(std::string_view rest) {
  if (rest.size() >= utf8_length(rest[0])) return false;
  for (const char c : rest.substr(1))
    if (!is_continuation(c)) return false;
  return true;
}

bool is_utf8(std::string_view bytes) {
  const std::size_t end = valid_utf8(bytes);
  return end == bytes.size() || is_cut_character(bytes.substr(end));
}

void append_character(std::uint32_t code, std::string& text) {
  const auto put = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0U | (code >> 6U));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3FU));
  } else {
    put(0xF0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3FU));
    put(0x80U | ((code >> 6U) & 0x3FU));
  }
  put(0x80U | (code & 0x3FU));
}

// Half of the bytes of Latin letters and digits in UTF-16 are zero.
std::size_t zeros(std::string_view bytes, std::size_t from) {
  std::size_t count = 0;
  for (std::size_t k = from; k < bytes.size(); k += 2) count += bytes[k] == '\0' ? 1 : 0;
  return count;
}

// Windows writes these where Latin-1 has control characters; 0: not used.
constexpr std::array<std::uint16_t, 32> windows_1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

}  // namespace

Decoder::Decoder(Encoding encoding, std::string_view first_block) : encoding_(encoding) {
  const bool wide = encoding == Encoding::utf16 || encoding == Encoding::detect;
  if (wide && (first_block.starts_with(little_mark) || first_block.starts_with(big_mark))) {
    encoding_ = Encoding::utf16;
    big_endian_ = first_block.starts_with(big_mark);
    mark_ = little_mark.size();
    return;
  }
  if (wide) {
    const std::string_view start = first_block.substr(0, 4096);
    const std::size_t even = zeros(start, 0);
    const std::size_t odd = zeros(start, 1);
    big_endian_ = even > odd;
    if (encoding == Encoding::detect && 3 * (even + odd) > start.size()) encoding_ = Encoding::utf16;
  }
  if (encoding_ == Encoding::detect) encoding_ = is_utf8(first_block) ? Encoding::utf8 : Encoding::latin1;
  if (encoding_ == Encoding::utf8 && first_block.starts_with(utf8_mark)) mark_ = utf8_mark.size();
}

bool Decoder::append(std::string_view block, bool last, std::string& text) {
  if (!started_) block.remove_prefix(std::min(mark_, block.size()));
  started_ = true;
  if (encoding_ == Encoding::latin1) {
    append_latin1(block, text);
    return true;
  }
  std::string joined;
  if (!pending_.empty()) {
    joined = std::move(pending_);
    pending_.clear();
    joined.append(block);
    block = joined;
  }
  return encoding_ == Encoding::utf8 ? append_utf8(block, last, text) : append_utf16(block, last, text);
}

bool Decoder::append_utf8(std::string_view bytes, bool last, std::string& text) {
  const std::size_t end = valid_utf8(bytes);
  text.append(bytes.substr(0, end));
  if (end == bytes.size()) return true;
  if (last || !is_cut_character(bytes.substr(end))) return false;
  pending_ = bytes.substr(end);
  return true;
}

bool Decoder::append_utf16(std::string_view bytes, bool last, std::string& text) {
  const auto unit = [&](std::size_t at) {
    const unsigned first = byte(bytes[at]);
    const unsigned second = byte(bytes[at + 1]);
    return big_endian_ ? first << 8U | second : second << 8U | first;
  };
  std::size_t at = 0;
  while (at + 2 <= bytes.size()) {
    const std::uint32_t code = unit(at);
    if (code >= 0xDC00 && code < 0xE000) return false;
    if (code < 0xD800 || code >= 0xE000) {
      append_character(code, text);
      at += 2;
      continue;
    }
    if (at + 4 > bytes.size()) break;
    const std::uint32_t low = unit(at + 2);
    if (low < 0xDC00 || low >= 0xE000) return false;
    append_character(0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U), text);
    at += 4;
  }
  if (at < bytes.size() && last) return false;
  pending_ = bytes.substr(at);
  return true;
}

void Decoder::append_latin1(std::string_view bytes, std::string& text) {
  for (const char c : bytes) {
    std::uint32_t code = byte(c);
    if (code >= 0x80 && code < 0xA0 && windows_1252[code - 0x80] != 0) code = windows_1252[code - 0x80];
    append_character(code, text);
  }
}

DataError wrong_encoding(const std::string& file, std::size_t line, Encoding encoding) {
  const std::string_view other = encoding == Encoding::utf8 ? "latin-1" : "utf-8";
  return {
      {file, line},
      fmt::format("there is a byte that is not {}, although the text before it is; if the file has another "
                  "encoding, give it by {}",
                  to_string(encoding), option_text("encoding", other))};
}

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8: return "utf-8";
    case Encoding::utf16: return "utf-16";
    case Encoding::latin1: return "latin-1";
    case Encoding::detect: break;
  }
  return "detect";
}

Encoding encoding_from(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) { return c == '-' || c == '_'; });
  if (plain == "utf8") return Encoding::utf8;
  if (plain == "utf16") return Encoding::utf16;
  if (plain == "latin1" || plain == "iso88591" || plain == "windows1252" || plain == "cp1252")
    return Encoding::latin1;
  throw InvalidOption("encoding", name, "use utf-8, utf-16 or latin-1");
}

}  // namespace strata
