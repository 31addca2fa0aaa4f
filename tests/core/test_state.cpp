#include "strata/core/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "strata/core/errors.h"
#include "strata/core/state_file.h"

namespace strata {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(State, GivesBackWhatWasPut) {
  State state;
  state.put("one", 1.5);
  state.put("many", Vector{1, -0.0, std::numeric_limits<double>::infinity()});
  state.put("count", std::size_t{7});
  state.put("flag", true);
  state.put("counts", std::vector<std::size_t>{3, 1, 2});
  state.put("flags", std::vector<bool>{true, false});
  state.put("text", "adam");

  double one = 0;
  Vector many;
  std::size_t count = 0;
  bool flag = false;
  std::vector<std::size_t> counts;
  std::vector<bool> flags;
  std::string text;
  state.get("one", one);
  state.get("many", many);
  state.get("count", count);
  state.get("flag", flag);
  state.get("counts", counts);
  state.get("flags", flags);
  state.get("text", text);
  EXPECT_EQ(one, 1.5);
  EXPECT_THAT(many, ElementsAre(1, 0, std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(std::signbit(many[1]));
  EXPECT_EQ(count, 7U);
  EXPECT_TRUE(flag);
  EXPECT_THAT(counts, ElementsAre(3, 1, 2));
  EXPECT_THAT(flags, ElementsAre(true, false));
  EXPECT_EQ(text, "adam");
}

TEST(State, ContinuesARandomStream) {
  RandomStream stream(5);
  stream.next();
  State state;
  state.put("stream", stream);
  RandomStream other(6);
  state.get("stream", other);
  EXPECT_EQ(other.next(), stream.next());
}

TEST(State, PartsHaveTheirOwnNames) {
  State state;
  state.put("size", 1.0);
  state.part("first").put("size", 2.0);
  state.part("first").part("inner").put("size", 3.0);
  double size = 0;
  const State& read = state;
  read.part("first").part("inner").get("size", size);
  EXPECT_EQ(size, 3);
  read.get("size", size);
  EXPECT_EQ(size, 1);
}

TEST(State, LivesInAFileBesideOtherThings) {
  State state;
  state.put("size", 1.5);
  state.put("none", Vector{});
  state.part("stateless");
  state.part("first").part("inner").put("order", std::vector<std::size_t>{2, 1});
  state.part("first").put("kind", "adam");
  TensorFile file;
  file.metadata["config"] = "something else";
  file.tensors.push_back({"weights", {2}, Vector{1, 2}});
  put_state(file, "run", state);

  const State read = get_state(parse_tensor_file(tensor_file_bytes(file), "file"), "run");
  double size = 0;
  read.get("size", size);
  EXPECT_EQ(size, 1.5);
  EXPECT_TRUE(read.numbers("none").empty());
  EXPECT_TRUE(read.part("stateless").values().empty());
  EXPECT_THAT(read.part("first").part("inner").integers("order"), ElementsAre(2, 1));
  EXPECT_EQ(read.part("first").text("kind"), "adam");
  EXPECT_EQ(read.values().size(), 2U);
  EXPECT_EQ(read.parts().size(), 2U);
  EXPECT_THAT(refusal([&] { get_state(file, "other"); }), HasSubstr("there is no 'other' in it"));
}

TEST(State, RefusesWhatIsNotThereByItsWholeName) {
  State state;
  state.part("updates").part("0").put("m", Vector{1, 2, 3});
  const State& update = std::as_const(state).part("updates").part("0");
  Vector two(2);
  EXPECT_THAT(refusal([&] { update.get("v", two); }), HasSubstr("no numbers named 'updates/0/v'"));
  EXPECT_THAT(refusal([&] { update.get("m", std::span(two)); }),
              AllOf(HasSubstr("3 values"), HasSubstr("'updates/0/m'"), HasSubstr("2 are needed")));
  EXPECT_THAT(refusal([&] { (void)update.integers("m"); }), HasSubstr("no integers named 'updates/0/m'"));
  EXPECT_THAT(refusal([&] { (void)update.part("inner"); }), HasSubstr("no part named 'updates/0/inner'"));
}

// A few bytes for each level would otherwise become a path for each level: 57 KB took half a GB.
TEST(State, RefusesAFileWhosePartsAreNestedTooDeep) {
  TensorFile file{.file = "a.ckpt"};
  std::string name = "run/";
  file.metadata[name];
  for (int level = 0; level < 16; ++level) name += "a/";
  file.metadata[name];
  EXPECT_EQ(get_state(file, "run").origin(), "a.ckpt");
  file.tensors.push_back({name + "a/w", {1}, Vector{1}});
  EXPECT_EQ(refusal([&] { get_state(file, "run"); }),
            "a.ckpt: its parts are nested more than 16 levels deep; the file is damaged");
}

// In a moment; looking through all parts for each of them takes a minute.
TEST(State, ReadsAFileOfManyParts) {
  TensorFile file;
  file.metadata["run/"];
  for (int part = 0; part < 60000; ++part) file.metadata["run/" + std::to_string(part) + "/"];
  EXPECT_EQ(get_state(file, "run").parts().size(), 60000U);
}

}  // namespace
}  // namespace strata
