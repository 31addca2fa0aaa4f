#include "export/c_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata::exported {

namespace {

// Keywords of C99 and of C++, which may include the header; macros of the headers used, and of compilers.
constexpr std::array reserved{"alignas",     "alignof",
                              "and",         "and_eq",
                              "asm",         "auto",
                              "bitand",      "bitor",
                              "bool",        "break",
                              "case",        "catch",
                              "char",        "char16_t",
                              "char32_t",    "char8_t",
                              "class",       "co_await",
                              "co_return",   "co_yield",
                              "compl",       "concept",
                              "const",       "const_cast",
                              "consteval",   "constexpr",
                              "constinit",   "continue",
                              "decltype",    "default",
                              "delete",      "do",
                              "double",      "dynamic_cast",
                              "else",        "enum",
                              "errno",       "explicit",
                              "export",      "extern",
                              "false",       "float",
                              "for",         "friend",
                              "goto",        "if",
                              "inline",      "int",
                              "isnan",       "linux",
                              "long",        "mutable",
                              "namespace",   "new",
                              "noexcept",    "not",
                              "not_eq",      "nullptr",
                              "operator",    "or",
                              "or_eq",       "private",
                              "protected",   "public",
                              "register",    "reinterpret_cast",
                              "requires",    "restrict",
                              "return",      "short",
                              "signed",      "sizeof",
                              "static",      "static_assert",
                              "static_cast", "struct",
                              "switch",      "template",
                              "this",        "thread_local",
                              "throw",       "true",
                              "try",         "typedef",
                              "typeid",      "typename",
                              "union",       "unix",
                              "unsigned",    "using",
                              "virtual",     "void",
                              "volatile",    "wchar_t",
                              "while",       "xor",
                              "xor_eq",      "EOF",
                              "HUGE_VAL",    "INFINITY",
                              "NAN",         "NULL"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::string c_identifier(std::string_view text) {
  std::string made;
  for (const char c : text)
    if (is_letter(c) || is_digit(c))
      made += c;
    else if (!made.empty() && made.back() != '_')
      made += '_';
  while (!made.empty() && made.back() == '_') made.pop_back();
  if (made.empty() || is_digit(made.front())) made = fmt::format("x{}", made);
  if (std::ranges::find(reserved, std::string_view(made)) != reserved.end()) made += '_';
  return made;
}

// Octal escapes have three digits and end there; \? keeps trigraphs away.
std::string c_literal(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?')
      made += {'\\', c};
    else if (c >= ' ' && c <= '~')
      made += c;
    else
      made += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return made + '"';
}

std::string c_comment(std::string_view text) {
  std::string made = c_literal(text);
  replace_all(made, "*/", "* /");
  replace_all(made, "/*", "/ *");
  return made;
}

std::string c_number(double number) {
  std::string made = fmt::format("{}", number);
  if (made.find_first_of(".e") == std::string::npos) made += ".0";
  return made;
}

void CText::constants(const std::string& name, std::span<const double> values) {
  put("static const double {}[{}] = {{", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    put("{}{}", i % 6 == 0 ? "\n  " : " ", c_number(values[i]) + (i + 1 < values.size() ? "," : ""));
  put("\n}};\n\n");
}

std::string CScope::add(std::string_view text) {
  const std::string wanted = c_identifier(text);
  std::string made = wanted;
  for (int count = 2; !taken_.insert(made).second; ++count) made = fmt::format("{}_{}", wanted, count);
  return made;
}

}  // namespace strata::exported
