// Places of bytes against the plain loops: every instruction set this CPU has, all sizes, any density.
#include "kernels/bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "strata/core/random.h"
#include "support/instruction_sets.h"

namespace strata {
namespace {

class EveryByteTarget : public testing_support::EveryInstructionSet {};

// One byte of `each` is a comma or a newline; others differ from these in one bit.
std::string random_bytes(std::size_t size, std::size_t each, RandomStream& random) {
  std::string bytes(size, ' ');
  for (char& byte : bytes) {
    const bool sought = random.below(each) == 0;
    byte = "\n,\v-"[random.below(2) + (sought ? 0 : 2)];
  }
  return bytes;
}

std::vector<std::uint32_t> places(const ByteKernels& kernels, const std::string& bytes, std::size_t offset) {
  std::vector<std::uint32_t> to(bytes.size() + 8);
  const std::size_t words = (bytes.size() - offset) / 64;
  const std::uint32_t* const end =
      kernels.places_after(bytes.data() + offset, words, ',', '\n', 1000, to.data());
  to.resize(static_cast<std::size_t>(end - to.data()));
  return to;
}

TEST_P(EveryByteTarget, PlacesAfterAreThoseOfThePlainLoop) {
  RandomStream random(1);
  for (const std::size_t each : {1, 2, 7, 64, 1000})
    for (const std::size_t offset : {0, 1, 3}) {
      const std::string bytes = random_bytes(offset + 64 * 33, each, random);
      EXPECT_EQ(places(simd_bytes(), bytes, offset), places(reference_bytes(), bytes, offset)) << each;
    }
}

TEST_P(EveryByteTarget, PlaceAfterSomeIsThatOfThePlainLoop) {
  RandomStream random(2);
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string bytes = random_bytes(size, 5, random);
    for (const std::size_t wanted : {std::size_t{0}, std::size_t{1}, size / 12, size / 10, size, size + 1}) {
      std::size_t count = wanted;
      std::size_t plain_count = wanted;
      const std::size_t place = simd_bytes().place_after(bytes.data(), size, '\n', count);
      EXPECT_EQ(place, reference_bytes().place_after(bytes.data(), size, '\n', plain_count))
          << size << ' ' << wanted;
      EXPECT_EQ(count, plain_count) << size << ' ' << wanted;
    }
  }
}

// What the two tests above compare with.
TEST(PlainBytes, PlacesAreAfterTheBytes) {
  std::string bytes(64, 'x');
  bytes[0] = ',';
  bytes[62] = '\n';
  EXPECT_EQ(places(reference_bytes(), bytes, 0), (std::vector<std::uint32_t>{1001, 1063}));
  std::size_t count = 3;
  EXPECT_EQ(reference_bytes().place_after("a\nb\nc", 5, '\n', count), 5U);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(reference_bytes().place_after("a\nb\nc", 5, '\n', count), 4U);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, EveryByteTarget,
                         testing::ValuesIn(testing_support::instruction_sets()),
                         testing_support::name_of_instruction_set);

}  // namespace
}  // namespace strata
