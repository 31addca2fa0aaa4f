#include "study/sha256.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Sha256, GivesTheExamplesOfTheStandard) {  // FIPS 180-4, example values published by NIST
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PadsEveryLengthAroundABlock) {  // bytes 0, 1, 2, ...; values from Python's hashlib
  const auto counting = [](int length) {
    std::string bytes;
    for (int i = 0; i < length; ++i) bytes += static_cast<char>(i);
    return sha256(bytes);
  };
  EXPECT_EQ(counting(55), "463eb28e72f82e0a96c0a4cc53690c571281131f672aa229e0d45ae59b598b59");
  EXPECT_EQ(counting(56), "da2ae4d6b36748f2a318f23e7ab1dfdf45acdc9d049bd80e59de82a60895f562");
  EXPECT_EQ(counting(63), "29af2686fd53374a36b0846694cc342177e428d1647515f078784d69cdb9e488");
  EXPECT_EQ(counting(64), "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108");
  EXPECT_EQ(counting(65), "4bfd2c8b6f1eec7a2afeb48b934ee4b2694182027e6d0fc075074f2fabb31781");
  EXPECT_EQ(counting(119), "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6");
  EXPECT_EQ(counting(120), "f52b23db1fbb6ded89ef42a23ce0c8922c45f25c50b568a93bf1c075420bbb7c");
}

}  // namespace
}  // namespace strata
