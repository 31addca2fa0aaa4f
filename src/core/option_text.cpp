#include "strata/core/option_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>

namespace strata {

namespace {

std::atomic<OptionStyle> style{OptionStyle::command_line};

}  // namespace

void set_option_style(OptionStyle wanted) { style = wanted; }

std::string option_name(std::string_view name) {
  std::string shown(name);
  if (style == OptionStyle::python) std::replace(shown.begin(), shown.end(), '-', '_');
  return shown;
}

std::string option_text(std::string_view name, std::string_view value) {
  const char quote = value.find('\'') == std::string_view::npos ? '\'' : '"';
  if (style == OptionStyle::command_line) {
    static constexpr std::string_view signs = "_-.,=+/%";
    // A shell takes blanks and most signs for its own.
    const bool plain = std::ranges::all_of(value, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || signs.find(c) != std::string_view::npos;
    });
    if (value.empty()) return fmt::format("--{}", name);
    return plain ? fmt::format("--{} {}", name, value)
                 : fmt::format("--{} {}{}{}", name, quote, value, quote);
  }
  const std::string keyword = option_name(name);
  return value.empty() ? keyword : fmt::format("{}={}{}{}", keyword, quote, value, quote);
}

}  // namespace strata
