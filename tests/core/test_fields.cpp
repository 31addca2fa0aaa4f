#include "strata/core/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "strata/core/errors.h"

namespace strata {
namespace {

enum class Colour { red, green, blue };
constexpr auto names_of(Colour /*colour*/) {
  return std::to_array<std::string_view>({"red", "green", "blue"});
}

struct Inner {
  double low = 0.25;
  double high = 0.5;

  void fields(auto& list) {
    list("low", low, positive.smaller_than(high), "below high");
    list("high", high, larger_than(low).at_most(1), "above low");
  }
};

struct Paint {
  double rate = 0.1;
  int layers = 2;
  std::size_t coats = 0;
  bool glossy = true;
  Colour colour = Colour::green;
  std::vector<std::size_t> rooms = {1, 3};
  Inner inner = {};

  static constexpr std::string_view kind = "paint";
  void fields(auto& list) {
    list("rate", rate, not_negative.off_at(infinity), "how fast", "rate");
    list("layers", layers, at_least(1), "how many");
    list("coats", coats, at_least(1).off_at(0), "how thick");
    list("glossy", glossy, "whether it shines");
    list("colour", colour, "which", "colour");
    list("rooms", rooms, "where");
    inner.fields(list);
  }
};

struct Bare {
  static constexpr std::string_view kind = "bare";
};
using Wall = std::variant<std::monostate, Bare, Paint>;

std::string refusal(const Wall& wall) {
  try {
    check(wall);
  } catch (const InvalidOption& error) {
    return error.what();
  }
  return "accepted";
}

// The text is read into every field of that name; what the struct is afterwards, or "unreadable".
std::string with(std::string_view name, std::string_view text) {
  Paint paint;
  bool read = false;
  for_each_field(paint, [&](const Field& field, auto& value) {
    if (field.name == name) read = read_text(field, text, value);
  });
  return read ? description(paint) : "unreadable";
}

TEST(Fields, APartIsPrintedWithItsKindAndEveryField) {
  EXPECT_EQ(description(Wall(Paint{})),
            "paint(rate=0.1, layers=2, coats=off, glossy=on, colour=green, rooms=1,3, low=0.25, high=0.5)");
  EXPECT_EQ(description(Wall(Bare{})), "bare()");
  EXPECT_EQ(description(Wall()), "none()");
}

TEST(Fields, ValuesComeBackFromTheirTexts) {
  EXPECT_THAT(with("rate", "0.30000000000000004"), testing::HasSubstr("rate=0.30000000000000004,"));
  EXPECT_THAT(with("rate", "off"), testing::HasSubstr("rate=off"));
  EXPECT_THAT(with("rate", "inf"), testing::HasSubstr("rate=off"));
  EXPECT_THAT(with("coats", "4"), testing::HasSubstr("coats=4"));
  EXPECT_THAT(with("coats", "off"), testing::HasSubstr("coats=off"));
  EXPECT_THAT(with("glossy", "off"), testing::HasSubstr("glossy=off"));
  EXPECT_THAT(with("colour", "blue"), testing::HasSubstr("colour=blue"));
}

TEST(Fields, TextsThatSayNoValueAreNotRead) {
  for (const std::string_view text : {"", "1.5", "2x", "off", "99999999999"})
    EXPECT_EQ(with("layers", text), "unreadable") << text;
  EXPECT_EQ(with("coats", "-1"), "unreadable");
  EXPECT_EQ(with("rate", "fast"), "unreadable");
  EXPECT_EQ(with("glossy", "1"), "unreadable");
  EXPECT_EQ(with("colour", "1"), "unreadable");
  EXPECT_EQ(with("low", "off"), "unreadable");
}

TEST(Fields, AValueOutOfBoundsIsRefusedWithFieldValueAndWhatIsAccepted) {
  EXPECT_EQ(refusal(Paint{}), "accepted");
  EXPECT_EQ(refusal(Paint{.rate = infinity}), "accepted");
  EXPECT_EQ(refusal(Paint{.rate = -1}), "option 'paint.rate' = '-1': use a number of at least 0, or off");
  EXPECT_EQ(refusal(Paint{.rate = std::nan("")}),
            "option 'paint.rate' = 'nan': use a number of at least 0, or off");
  EXPECT_EQ(refusal(Paint{.layers = 0}), "option 'paint.layers' = '0': use a whole number of at least 1");
  EXPECT_EQ(refusal(Paint{.rooms = {}}), "option 'paint.rooms' = '': use one or more whole numbers");
}

TEST(Fields, ABoundMayDependOnAnotherField) {
  EXPECT_EQ(refusal(Paint{.inner = {.low = 0.5}}),
            "option 'paint.low' = '0.5': use a number above 0, below 0.5");
  EXPECT_EQ(refusal(Paint{.inner = {.high = 1.5}}),
            "option 'paint.high' = '1.5': use a number above 0.25, at most 1");
  EXPECT_EQ(refusal(Paint{.inner = {.low = 0.5, .high = 1}}), "accepted");
}

// An option with a text of its own: 3x4.
struct Size {
  int width = 1;
  int height = 1;

  static constexpr std::string_view accepts = "a size such as 3x4";
  static constexpr std::string_view placeholder = "WxH";
  [[nodiscard]] std::string text() const { return std::to_string(width) + "x" + std::to_string(height); }
  bool read(std::string_view text) {
    const std::size_t by = text.find('x');
    return by != text.npos && read_text({}, text.substr(0, by), width) &&
           read_text({}, text.substr(by + 1), height);
  }
  [[nodiscard]] bool is_allowed() const { return width > 0; }
};

struct Poster {
  std::optional<double> seconds = {};
  std::optional<bool> framed = {};
  std::vector<double> margins = {0.5};
  std::vector<std::size_t> folds = {};
  std::vector<std::string> artists = {};
  std::string style = {};
  std::uint64_t number = 0;
  Size size = {};

  void fields(auto& list) {
    list("seconds", seconds, positive.as_time(), "how long");
    list("framed", framed, "in wood");
    list.group = "Paper";
    list("margins", margins, positive, "around it");
    list("folds", folds, at_least(1).or_empty(), "across it");
    list("artists", artists, may_be_empty, "of it");
    list("style", style, Bound{.may_be_empty = true, .names = [] { return std::string("plain or bold"); }},
         "of the letters");
    list("number", number, not_negative, "of the print");
    list("size", size, "of the sheet");
  }
};

// The value of that field after these texts were read into it, or what refuses them.
std::string after(std::string_view name, const std::vector<std::string>& texts) {
  Poster poster;
  std::string result;
  for_each_field(poster, [&](const Field& field, auto& value) {
    if (field.name != name) return;
    if (const auto text = read_texts(field, texts, value))
      result = *text + " is not " + accepted(field, value);
    else if (!allowed(field, value))
      result = text_of(field, value) + " is beyond " + accepted(field, value);
    else
      result = text_of(field, value);
  });
  return result;
}

TEST(Fields, OptionalsListsAndTimesAreReadFromTexts) {
  EXPECT_EQ(after("seconds", {"90"}), "90");
  EXPECT_EQ(after("seconds", {"1", "1.5m"}), "90");  // the last one counts
  EXPECT_EQ(after("seconds", {"2h"}), "7200");
  EXPECT_EQ(after("framed", {"true"}), "on");
  EXPECT_EQ(after("margins", {"0.5", "2"}), "0.5,2");
  EXPECT_EQ(after("folds", {"3"}), "3");
  EXPECT_EQ(after("folds", {"none"}), "none");
  EXPECT_EQ(after("artists", {"Ann, Bo", "none"}), "Ann, Bo,none");
  EXPECT_EQ(after("style", {"bold"}), "bold");
  EXPECT_EQ(after("number", {"18446744073709551615"}), "18446744073709551615");
  EXPECT_EQ(after("size", {"3x4"}), "3x4");
}

TEST(Fields, TextsThatSayNoValueOfAListOrAnOptionalAreNamed) {
  EXPECT_EQ(after("seconds", {"soon"}), "soon is not a time above 0 such as 90, 90s, 1.5m or 2h");
  EXPECT_EQ(after("seconds", {"0s"}), "0 is beyond a time above 0 such as 90, 90s, 1.5m or 2h");
  EXPECT_EQ(after("framed", {"1"}), "1 is not on or off");
  EXPECT_EQ(after("margins", {"1", "x"}), "x is not one or more numbers above 0");
  EXPECT_EQ(after("margins", {"1", "0"}), "1,0 is beyond one or more numbers above 0");
  EXPECT_EQ(after("margins", {}), " is beyond one or more numbers above 0");
  EXPECT_EQ(after("margins", {"none"}), "none is not one or more numbers above 0");
  EXPECT_EQ(after("folds", {"2", "none"}), "none is not whole numbers of at least 1, or none");
  EXPECT_EQ(after("number", {"-1"}), "-1 is not a whole number of at least 0");
  EXPECT_EQ(after("number", {}), " is not a whole number of at least 0");
  EXPECT_EQ(after("size", {"3"}), "3 is not a size such as 3x4");
  EXPECT_EQ(after("size", {"0x1"}), "0x1 is beyond a size such as 3x4");
}

TEST(Fields, AnOptionIsShownWithWhatStandsForItsValue) {
  std::string shown;
  const Poster poster;
  for_each_field(poster, [&](const Field& field, const auto& value) {
    const OptionInfo option = option_info(field, value);
    append_item(shown, " ",
                option.group + "." + option.name + (option.has_items ? "*" : "") + "=" + option.placeholder);
  });
  EXPECT_EQ(shown,
            ".seconds=TIME .framed=on|off Paper.margins*=X,... Paper.folds*=N,... Paper.artists*=NAMES "
            "Paper.style=NAME Paper.number=N Paper.size=WxH");
}

TEST(Fields, InfinityNeedsABoundThatIncludesIt) {
  EXPECT_FALSE(positive.allows(infinity));
  EXPECT_TRUE(positive.at_most(infinity).allows(infinity));
  EXPECT_FALSE(any_number.allows(-infinity));
  EXPECT_TRUE(any_number.off_at(-infinity).allows(-infinity));
}

}  // namespace
}  // namespace strata
