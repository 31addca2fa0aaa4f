#pragma once

#include <concepts>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// JSON written straight into a text. There is no tree, so nothing has to be freed when memory runs out half way.
// Names are not looked at twice: a caller that repeats one writes it twice.
class JsonText {
 public:
  enum class BadUtf8 { refuse, replace };  // a text that is not UTF-8: an Error, or its bytes become U+FFFD
  explicit JsonText(BadUtf8 policy = BadUtf8::refuse) : policy_(policy) {}

  JsonText& begin_object() { return open('{'); }
  JsonText& end_object() { return close('}'); }
  JsonText& begin_list() { return open('['); }
  JsonText& end_list() { return close(']'); }
  JsonText& name(std::string_view name);

  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view(text)); }
  JsonText& value(const std::string& text) { return value(std::string_view(text)); }
  JsonText& value(double number);  // null where it is not finite
  JsonText& value(bool yes) { return raw(yes ? "true" : "false"); }
  template <std::integral T>
  JsonText& value(T whole) {
    return raw(std::to_string(whole));
  }
  template <class T>
  JsonText& value(const std::vector<T>& values) {
    begin_list();
    for (const auto& each : values) value(each);
    return end_list();
  }
  template <class T, class Less>
  JsonText& value(const std::map<std::string, T, Less>& members) {
    begin_object();
    for (const auto& [key, each] : members) member(key, each);
    return end_object();
  }
  JsonText& null() { return raw("null"); }
  JsonText& raw(std::string_view json);  // a value that is JSON already

  template <class T>
  JsonText& member(std::string_view key, const T& content) {
    return name(key).value(content);
  }

  [[nodiscard]] std::string& text() { return text_; }

 private:
  void separate();
  JsonText& open(char bracket);
  JsonText& close(char bracket);
  std::string quoted(std::string_view text) const;

  BadUtf8 policy_;
  std::string text_;
  bool follows_ = false;  // something stands before the next value that a comma must part from it
};

}  // namespace strata
