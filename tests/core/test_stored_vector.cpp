#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <numeric>

#include "strata/core/errors.h"
#include "strata/core/stored_vector.h"
#include "support/files.h"

namespace strata {
namespace {

using support::refusal;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

StoredVector<double> on_disk(std::size_t count) {
  return {MappedBytes::scratch(count * sizeof(double)), count};
}

TEST(StoredVector, IsAVectorInMemory) {
  StoredVector<int> values = std::vector{1, 2, 3};
  EXPECT_TRUE(values.in_memory());
  values[1] = 7;
  EXPECT_THAT(values, ElementsAre(1, 7, 3));
  const StoredVector<int> copy = values;
  EXPECT_EQ(copy, values);
  const StoredVector<int> moved = std::move(values);
  EXPECT_TRUE(values.empty());  // NOLINT(bugprone-use-after-move): an empty one is promised
  EXPECT_EQ(moved, copy);
  EXPECT_EQ(StoredVector<int>(moved).take(), (std::vector{1, 7, 3}));
}

TEST(StoredVector, KeepsItsNumbersInAFileWhenTheyLeaveTheMemory) {
  StoredVector<double> values = on_disk(10000);
  EXPECT_FALSE(values.in_memory());
  EXPECT_THAT(values, Each(0));
  std::iota(values.begin(), values.end(), 0);
  values.release();
  EXPECT_EQ(values[9999], 9999);
  values.release(5000, 1);
  EXPECT_EQ(values[5000], 5000);
  const StoredVector<double> copy = values;
  EXPECT_TRUE(copy.in_memory());
  EXPECT_EQ(copy, values);
  EXPECT_EQ(values.take().size(), 10000U);
  EXPECT_TRUE(values.empty());
}

TEST(StoredVector, PutsPiecesOfAFileSideBySideAndNeverWritesToThem) {
  const std::size_t page = MappedBytes::page_bytes();
  std::string bytes(3 * page, 'a');
  bytes[0] = 'x';
  bytes[2 * page] = 'y';
  const support::TemporaryDirectory directory;
  const auto path = directory.file("bytes", bytes);
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  const std::vector<MappedBytes::Piece> pieces{{2 * page, page}, {0, page}};
  auto mapped = MappedBytes::of_file(::fileno(file), pieces);
  std::fclose(file);
  ASSERT_TRUE(mapped);
  StoredVector<char> values(std::move(mapped), 2 * page);
  const StoredVector<char>& read = values;
  EXPECT_EQ(read[0], 'y');
  EXPECT_EQ(read[page], 'x');
  EXPECT_FALSE(values.in_memory());
  values[0] = 'z';
  EXPECT_TRUE(values.in_memory());
  EXPECT_EQ(read[0], 'z');
  EXPECT_EQ(read[page], 'x');
  std::ifstream again(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), bytes);
}

TEST(StoredVector, SaysWhereThereIsNoRoom) {
  EXPECT_THAT(refusal<Error>([] { on_disk(std::size_t{1} << 58U); }), HasSubstr("set TMPDIR"));
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nowhere", 1);
  EXPECT_THAT(refusal<Error>([] { on_disk(10); }), HasSubstr("/nowhere"));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace strata
