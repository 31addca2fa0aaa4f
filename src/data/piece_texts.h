#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace strata {

// Different texts, numbered as they appear. They are views into the piece.
class PieceTexts {
 public:
  void clear();
  // The text is followed by at least eight bytes that may be read.
  std::int32_t find_or_add(std::string_view text, std::size_t line);

  struct Entry {
    std::string_view text;
    std::size_t line;       // of the first
    std::size_t count = 0;  // known after count()
  };
  void count();
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  // Most texts are so short that they are compared without a look at the piece, and without a branch on their length, which the
  // processor would guess wrong.
  struct Ends {
    std::uint64_t first = 0;  // eight bytes, zeros behind a shorter text
    std::uint64_t last = 0;   // eight bytes of a text that is longer
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  static Ends ends_of(std::string_view text);
  static std::uint64_t hash_of(std::string_view text, const Ends& ends);

  struct Slot {
    Ends ends;
    std::uint32_t size = 0;
    std::int32_t code = -1;  // none
    std::uint32_t count = 0;
  };
  Slot& find(std::string_view text, const Ends& ends);
  void grow();

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // by the hash of the text; a power of two
};

}  // namespace strata
