#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata::exported {

// One message in the wire format of Protocol Buffers: fields in the order in which they are added, each a tag, which is
// number * 8 + wire type, and a value.
class Message {
 public:
  Message& whole(int field, std::int64_t value) {
    tag(field, varint);
    return append(static_cast<std::uint64_t>(value));
  }
  Message& text(int field, std::string_view bytes) {
    tag(field, length_delimited);
    append(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& message(int field, const Message& part) { return text(field, part.bytes_); }
  Message& append(const Message& fields) {
    bytes_ += fields.bytes_;
    return *this;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  enum WireType { varint = 0, length_delimited = 2 };

  void tag(int field, WireType type) {
    append(static_cast<std::uint64_t>(field) * 8 + static_cast<std::uint64_t>(type));
  }

  // Seven bits to a byte, the lowest first; the highest bit says that more follow.
  Message& append(std::uint64_t value) {
    for (; value >= 128; value /= 128) bytes_ += static_cast<char>(value % 128 + 128);
    bytes_ += static_cast<char>(value);
    return *this;
  }

  std::string bytes_;
};

}  // namespace strata::exported
