#include "strata/core/toml_text.h"

#include "strata/core/errors.h"

namespace strata {

namespace {

// Where the parser is: the quotes that end the string it is in, "#" for a comment, or nothing. A quote inside of a bare name or
// number, as in  a = 0"b", begins no string for the parser: it looks at what follows as if that stood outside of strings.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if ((static_cast<unsigned char>(c) & 0x80U) != 0 && !(inside_.size() == 1)) refuse();
      if (inside_.empty())
        enter(c);
      else
        leave(c);
      if (c == '\n') ++line_;
      ++at_;
    }
  }

 private:
  [[noreturn]] void refuse() const {
    throw DataError({file_, line_},
                    "not TOML: a letter outside of ASCII stands where only comments and strings of one line "
                    "may have it; put it in quotes");
  }

  void enter(char c) {
    if (lost_) return;
    if (c == '#') {
      inside_ = text_.substr(at_, 1);
    } else if (c == '"' || c == '\'') {
      enter_string(c);
    } else if (c == '\n' && open_.empty()) {
      value_ = bare_ = false;
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      bare_ = false;
    } else if (c == ',' || c == ']' || c == '}') {
      separate(c);
    } else if (!value_ && (c == '=' || c == '.' || c == '[')) {
      value_ = c == '=';
      bare_ = false;
    } else if (value_ && !bare_ && (c == '[' || c == '{')) {
      open_ += c;
      value_ = c == '[';  // an inline table begins with a name
    } else {
      bare_ = true;
    }
  }

  void enter_string(char quote) {
    lost_ = bare_;
    if (lost_) return;
    const std::string_view here = text_.substr(at_, 3);
    inside_ = here == std::string(3, quote) ? here : here.substr(0, 1);
    at_ += inside_.size() - 1;
    bare_ = true;  // what follows a string without a blank begins no other
  }

  void separate(char c) {
    bare_ = false;
    if (c != ',' && !open_.empty()) {
      open_.pop_back();
      value_ = true;
    } else if (c == ',') {
      value_ = open_.ends_with('[');
    }
  }

  void leave(char c) {
    const bool of_one_line = inside_.size() == 1;
    if (c == '\n' && of_one_line) {  // the end of a comment; in a string the parser stops here
      inside_ = {};
      return enter(c);
    }
    if (c == '\\' && inside_.starts_with('"')) {
      if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;  // an escaped quote ends nothing
      return;
    }
    if (inside_.empty() || inside_ == "#" || !text_.substr(at_).starts_with(inside_)) return;
    at_ += inside_.size() - 1;
    while (!of_one_line && at_ + 1 < text_.size() && text_[at_ + 1] == inside_.front()) ++at_;  // """a""""
    inside_ = {};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::string_view inside_;
  std::string open_;    // brackets of arrays and inline tables around this place
  bool value_ = false;  // a value stands here, not a name
  bool bare_ = false;   // within a bare name or number, or behind a string
  bool lost_ = false;   // the parser will refuse the text; what it looks at before is not known
};

}  // namespace

void check_toml_text(std::string_view text, const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  Scanner(text, file).scan();
}

}  // namespace strata
