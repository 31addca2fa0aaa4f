#include "strata/core/toml_text.h"

#include "strata/core/errors.h"

namespace strata {

namespace {

// Where the parser is: the quotes that end the string it is in, "#" for a comment, or nothing.
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
    if (c == '#') inside_ = text_.substr(at_, 1);
    if (c != '"' && c != '\'') return;
    const std::string_view here = text_.substr(at_, 3);
    inside_ = here == std::string(3, c) ? here : here.substr(0, 1);
    at_ += inside_.size() - 1;
  }

  void leave(char c) {
    const bool of_one_line = inside_.size() == 1;
    if (c == '\n' && of_one_line) inside_ = {};  // the end of a comment; in a string the parser stops here
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
};

}  // namespace

void check_toml_text(std::string_view text, const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  Scanner(text, file).scan();
}

}  // namespace strata
