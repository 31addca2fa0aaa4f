#include "strata/core/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "strata/core/errors.h"
#include "support/bytes.h"
#include "support/files.h"

namespace strata {
namespace {

using support::contents_of;
using support::files_in;
using support::little_endian;
using support::refusal;
using support::TemporaryDirectory;
using support::with_length;
using testing::HasSubstr;
using testing::StartsWith;

using Limits = std::numeric_limits<double>;
using Integers = std::vector<std::uint64_t>;

TensorFile example() {
  TensorFile file;
  file.metadata = {{"kind", "example \"quoted\" \n ü"}, {"empty", ""}};
  file.tensors = {
      {"z", {2, 3}, Vector{1, -0.0, Limits::denorm_min(), Limits::max(), Limits::infinity(), 1.0 / 3}},
      {"counts", {2}, Integers{0, std::numeric_limits<std::uint64_t>::max()}},
      {"none", {0, 7}, Vector{}},
      {"scalar", {}, Vector{42}}};
  return file;
}

std::string problem(const std::string& bytes) {
  const std::string message = refusal<DataError>([&] { parse_tensor_file(bytes, "a.strata"); });
  EXPECT_THAT(message, StartsWith("a.strata: "));
  return message;
}

// The refusal of a file with this description of tensor "w" and eight bytes of data.
std::string problem_with(const std::string& description) {
  return problem(with_length(R"({"w":)" + description + "}", little_endian(0)));
}

TEST(TensorFile, ReadsBackWhatWasWrittenToTheLastBit) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  const TensorFile written = example();
  write_tensor_file(path, written);
  const TensorFile read = read_tensor_file(path);
  EXPECT_EQ(read.metadata, written.metadata);
  EXPECT_EQ(read.tensors, written.tensors);
  EXPECT_TRUE(std::signbit(read.numbers("z")[1]));
  EXPECT_EQ(read.file, path.string());
}

TEST(TensorFile, KeepsTheBitsOfANotANumber) {
  const auto odd = std::bit_cast<double>(std::uint64_t{0x7ff8dead00000001});
  const TensorFile read = parse_tensor_file(tensor_file_bytes({{}, {{"w", {1}, Vector{odd}}}}), "x");
  EXPECT_EQ(std::bit_cast<std::uint64_t>(read.numbers("w")[0]), 0x7ff8dead00000001U);
}

TEST(TensorFile, HasTheLayoutOfSafetensors) {
  const TensorFile file{{{"k", "v"}}, {{"b", {1, 1}, Vector{1.0}}, {"a", {1}, Integers{258}}}};
  std::string bytes = tensor_file_bytes(file);
  const std::size_t digits = bytes.find("crc32:") + 6;
  const std::string sum = bytes.substr(digits, 8);
  bytes.replace(digits, 8, "00000000");
  const std::string header = R"({"__metadata__":{"strata.checksum":"crc32:00000000","k":"v"},)"
                             R"("b":{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]},)"
                             R"("a":{"dtype":"U64","shape":[1],"data_offsets":[8,16]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(bytes,
            with_length(padded, std::string("\0\0\0\0\0\0\xf0\x3f", 8) + std::string("\2\1\0\0\0\0\0\0", 8)));
  // The checksum is the CRC-32 of those bytes, computed here bit by bit.
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  EXPECT_EQ(std::stoul(sum, nullptr, 16), crc ^ 0xffffffffU);
}

TEST(TensorFile, EveryBitThatFlipsIsNoticedOrChangesNothing) {
  const std::string bytes = tensor_file_bytes(example());
  const TensorFile right = parse_tensor_file(bytes, "x");
  int accepted = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string wrong = bytes;
    wrong[bit / 8] = static_cast<char>(static_cast<unsigned char>(wrong[bit / 8]) ^ (1U << (bit % 8)));
    try {
      const TensorFile read = parse_tensor_file(wrong, "x");
      EXPECT_EQ(read.tensors, right.tensors) << bit;
      ++accepted;
    } catch (const DataError& problem) {
      EXPECT_THAT(problem.what(), StartsWith("x: "));
    }
  }
  // A flip in the name of the checksum, or of the metadata, gives a file without one.
  EXPECT_LT(accepted, 8 * 40);
}

TEST(TensorFile, ReadsFilesWithoutAChecksum) {
  const TensorFile read = parse_tensor_file(with_length(R"({"__metadata__":{"k":"v"}})", ""), "x");
  EXPECT_EQ(read.text("k"), "v");
}

TEST(TensorFile, SaysThatAChecksumDoesNotFit) {
  std::string bytes = tensor_file_bytes(example());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THAT(problem(bytes), HasSubstr("its checksum is 'crc32:"));
  EXPECT_THAT(problem(with_length(R"({"__metadata__":{"strata.checksum":"md5:0"}})", "")),
              HasSubstr("checksum is of an unknown kind"));
  EXPECT_THAT(refusal<Error>([] {
                tensor_file_bytes({{{"strata.checksum", "1"}}, {}});
              }),
              HasSubstr("reserved"));
}

// In well under a second; a reader that is quadratic in their number needs a minute.
TEST(TensorFile, ReadsAsManyTensorsAsItsLimit) {
  TensorFile file;
  for (std::size_t i = 0; i < max_tensors; ++i) file.tensors.push_back({std::to_string(i), {0}, Vector{}});
  const std::string bytes = tensor_file_bytes(file);
  EXPECT_EQ(parse_tensor_file(bytes, "x").tensors.size(), max_tensors);
}

TEST(TensorFile, ReadsNamesAndSpacesInAnyOrder) {
  const TensorFile read = parse_tensor_file(
      with_length(R"( { "z" : {"shape":[1],"dtype":"U64","data_offsets":[0,8]}, "__metadata__":{} }  )",
                  little_endian(7)),
      "x");
  EXPECT_EQ(read.integers("z"), Integers{7});
}

TEST(TensorFile, RefusesNamesThatAreNotThereAndKindsThatDoNotFit) {
  const TensorFile file = example();
  EXPECT_EQ(refusal<DataError>([&] { (void)file.tensor("w"); }), "tensor file: there is no tensor 'w' in it");
  EXPECT_THAT(refusal<DataError>([&] { (void)file.numbers("counts"); }), HasSubstr("integers where numbers"));
  EXPECT_THAT(refusal<DataError>([&] { (void)file.integers("z"); }), HasSubstr("numbers where integers"));
  EXPECT_THAT(refusal<DataError>([&] { (void)file.text("k"); }), HasSubstr("no metadata 'k'"));
}

TEST(TensorFile, RefusesAHeaderThatCannotBe) {
  EXPECT_THAT(problem(""), HasSubstr("ends after 0 bytes"));
  EXPECT_THAT(problem(little_endian(9) + "{}"), HasSubstr("header has 9 bytes, but only 2 follow"));
  EXPECT_THAT(problem(little_endian(std::uint64_t{1} << 63U)), HasSubstr("more than 16777216"));
  EXPECT_THAT(problem("age,price\n1,2\n"), HasSubstr("more than 16777216"));
  EXPECT_THAT(problem(with_length("", "")), HasSubstr("the header is not JSON, from byte 1 on"));
  EXPECT_THAT(problem(with_length("[]", "")), HasSubstr("the header is no JSON object"));
  EXPECT_THAT(problem(with_length("{}", "x")), HasSubstr("tensors fill 0 bytes, and 1 follow the header"));
  EXPECT_THAT(problem(with_length(R"({"a":1e999})", "")), HasSubstr("number that no double can hold"));
  EXPECT_THAT(problem(with_length(R"({"__metadata__":3})", "")),
              HasSubstr("'__metadata__' is no JSON object"));
  EXPECT_THAT(problem(with_length(R"({"__metadata__":{"k":3}})", "")), HasSubstr("metadata 'k' is no text"));
  EXPECT_THAT(problem(with_length(R"({"__metadata__":{"k":"","k":""}})", "")),
              HasSubstr("the name 'k' twice"));
}

TEST(TensorFile, RefusesNestingThatWouldExhaustTheStack) {
  EXPECT_THAT(problem(with_length(R"({"a":)" + std::string(1 << 20, '['), "")),
              HasSubstr("nested more than 64"));
}

TEST(TensorFile, RefusesMoreTensorsThanItsLimit) {
  std::string header = "{";
  for (std::size_t i = 0; i <= max_tensors + 1; ++i) header += '"' + std::to_string(i) + R"(":0,)";
  header.back() = '}';
  EXPECT_THAT(problem(with_length(header, "")), HasSubstr("lists 65538 tensors, more than 65536"));
}

TEST(TensorFile, RefusesATensorThatCannotBe) {
  EXPECT_THAT(problem_with("[]"), HasSubstr("tensor 'w' is not described"));
  EXPECT_THAT(problem_with(R"({"shape":[1],"data_offsets":[0,8]})"), HasSubstr("has no 'dtype'"));
  EXPECT_THAT(problem_with(R"({"dtype":64,"shape":[1],"data_offsets":[0,8]})"), HasSubstr("has no 'dtype'"));
  EXPECT_THAT(problem_with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
              HasSubstr("the type 'F32'"));
  for (const char* shape : {"1", "[-1]", "[1.0]", R"(["1"])", "null", "[18446744073709551616]"})
    EXPECT_THAT(problem_with(R"({"dtype":"F64","data_offsets":[0,8],"shape":)" + std::string(shape) + "}"),
                HasSubstr("no usable 'shape'"))
        << shape;
  for (const char* offsets : {"8", "[8]", "[0,8,8]", "[8,0]", "[-8,0]", "[0,8.0]"})
    EXPECT_THAT(problem_with(R"({"dtype":"F64","shape":[1],"data_offsets":)" + std::string(offsets) + "}"),
                HasSubstr("no usable 'data_offsets'"))
        << offsets;
  EXPECT_THAT(problem_with(R"({"dtype":"F64","shape":[2],"data_offsets":[0,8]})"),
              HasSubstr("needs 16 bytes, and its offsets give it 8"));
  // 2^32 * 2^32 * 8 bytes and 2^61 * 8 bytes are 0 when the product is not checked.
  for (const char* shape : {"[4294967296,4294967296]", "[2305843009213693952]"})
    EXPECT_THAT(problem_with(R"({"dtype":"F64","data_offsets":[0,0],"shape":)" + std::string(shape) + "}"),
                HasSubstr("the shape of tensor 'w' is too large"))
        << shape;
}

TEST(TensorFile, RefusesGapsOverlapsAndDuplicates) {
  const auto two = [](const std::string& names, const std::string& first, const std::string& second) {
    const auto describe = [](char name, const std::string& offsets) {
      return '"' + std::string(1, name) + R"(":{"dtype":"U64","shape":[1],"data_offsets":)" + offsets + '}';
    };
    return with_length('{' + describe(names[0], first) + ',' + describe(names[1], second) + '}',
                       std::string(24, '\0'));
  };
  EXPECT_THAT(problem(two("ab", "[0,8]", "[16,24]")),
              HasSubstr("'b' begins at byte 16 of the data, and 8 are taken"));
  EXPECT_THAT(problem(two("ab", "[0,8]", "[0,8]")),
              HasSubstr("begins at byte 0 of the data, and 8 are taken"));
  EXPECT_THAT(problem(two("ab", "[0,8]", "[4,12]")), HasSubstr("'b' begins at byte 4 of the data"));
  EXPECT_THAT(problem(two("ab", "[0,8]", "[8,16]")), HasSubstr("tensors fill 16 bytes, and 24 follow"));
  EXPECT_THAT(problem(two("aa", "[0,8]", "[8,16]")), HasSubstr("has the name 'a' twice"));
}

TEST(TensorFile, RefusesAFileCutAnywhere) {
  const std::string bytes = tensor_file_bytes(example());
  for (std::size_t length = 0; length < bytes.size(); ++length) problem(bytes.substr(0, length));
  problem(bytes + '\0');
}

TEST(TensorFile, SurvivesEveryWrongByte) {
  const std::string bytes = tensor_file_bytes(example());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned flip : {0x01U, 0x02U, 0x04U, 0x08U, 0x10U, 0x20U, 0x40U, 0x80U, 0xffU}) {
      std::string wrong = bytes;
      wrong[at] = static_cast<char>(static_cast<unsigned char>(wrong[at]) ^ flip);
      try {
        EXPECT_EQ(parse_tensor_file(wrong, "x").tensors.size(), 4U);
      } catch (const DataError& problem) {
        EXPECT_THAT(problem.what(), StartsWith("x: "));
      }
    }
}

TEST(TensorFile, DoesNotWriteWhatItWouldNotRead) {
  const auto refuse = [](const TensorFile& file) { return refusal<Error>([&] { tensor_file_bytes(file); }); };
  EXPECT_THAT(refuse({{}, {{"a", {1}, Vector{1}}, {"a", {1}, Vector{2}}}}), HasSubstr("'a' is used twice"));
  EXPECT_THAT(refuse({{}, {{"__metadata__", {1}, Vector{1}}}}), HasSubstr("reserved"));
  EXPECT_THAT(refuse({{}, {{"a", {2, 2}, Vector{1, 2}}}}), HasSubstr("'a' has 2 values"));
  EXPECT_THAT(refuse({{}, {{"a", {std::size_t{1} << 61U}, Vector{}}}}), HasSubstr("'a' has 0 values"));
  EXPECT_THAT(refuse({{{"k", "\xff"}}, {}}), HasSubstr("not UTF-8"));
  EXPECT_THAT(refuse({{{"k", std::string(max_tensor_header, 'x')}}, {}}), HasSubstr("shorten them"));
}

TEST(TensorFile, NamesAFileThatCannotBeReadOrWritten) {
  const TemporaryDirectory directory;
  const auto read = [](const std::filesystem::path& path) {
    return refusal<DataError>([&] { read_tensor_file(path); });
  };
  EXPECT_THAT(read(directory.path() / "none"), HasSubstr("none: the file cannot be opened"));
  EXPECT_THAT(read(directory.path()), HasSubstr("this is a directory"));
  EXPECT_THAT(read(directory.file("short", "abc")), HasSubstr("ends after 3 bytes"));
  EXPECT_THAT(read("/dev/zero"), HasSubstr("the header is not JSON"));
  EXPECT_THAT(refusal<Error>([] { write_tensor_file("/dev/full", example()); }), HasSubstr("No space left"));
}

TEST(TensorFile, AFailedWriteLeavesThePreviousFile) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  write_tensor_file(path, example());
  const std::string before = contents_of(path);
  TensorFile bad = example();
  bad.tensors[0].shape = {5};
  EXPECT_THROW(write_tensor_file(path, bad), Error);
  EXPECT_EQ(contents_of(path), before);
  EXPECT_EQ(files_in(directory.path()), 1U);
}

}  // namespace
}  // namespace strata
