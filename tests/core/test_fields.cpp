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
  EXPECT_EQ(refusal(Paint{.rooms = {}}), "option 'paint.rooms' = '': use a list of one or more");
}

TEST(Fields, ABoundMayDependOnAnotherField) {
  EXPECT_EQ(refusal(Paint{.inner = {.low = 0.5}}),
            "option 'paint.low' = '0.5': use a number above 0, below 0.5");
  EXPECT_EQ(refusal(Paint{.inner = {.high = 1.5}}),
            "option 'paint.high' = '1.5': use a number above 0.25, at most 1");
  EXPECT_EQ(refusal(Paint{.inner = {.low = 0.5, .high = 1}}), "accepted");
}

TEST(Fields, InfinityNeedsABoundThatIncludesIt) {
  EXPECT_FALSE(positive.allows(infinity));
  EXPECT_TRUE(positive.at_most(infinity).allows(infinity));
  EXPECT_FALSE(any_number.allows(-infinity));
  EXPECT_TRUE(any_number.off_at(-infinity).allows(-infinity));
}

}  // namespace
}  // namespace strata
