#pragma once

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace strata::exported {

// Any text as part of C source.
std::string c_identifier(
    std::string_view text);                    // other characters become underscores; no keyword of C or C++
std::string c_literal(std::string_view text);  // "text" with quotes, in ASCII
std::string c_comment(std::string_view text);  // cannot end a comment or begin another
std::string c_number(double number);           // finite; reads back to the same bits

// Source that grows.
class CText {
 public:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void constants(const std::string& name, std::span<const double> values);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Identifiers of one scope: a text that gives one that is taken gets a number behind it.
class CScope {
 public:
  std::string add(std::string_view text);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace strata::exported
