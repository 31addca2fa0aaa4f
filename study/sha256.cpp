#include "study/sha256.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace strata {

namespace {

using Word = std::uint32_t;

// Fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<Word, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Digest = std::array<Word, 8>;
constexpr std::size_t block_bytes = 64;

Word big_endian(const unsigned char* bytes) {
  return Word{bytes[0]} << 24U | Word{bytes[1]} << 16U | Word{bytes[2]} << 8U | Word{bytes[3]};
}

std::array<Word, 64> schedule(const unsigned char* block) {
  std::array<Word, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const Word small0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3U);
    const Word small1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10U);
    w[t] = w[t - 16] + small0 + w[t - 7] + small1;
  }
  return w;
}

// The compression function, with the letters of the standard (FIPS 180-4, 6.2.2).
void compress(Digest& state, const unsigned char* block) {
  const auto w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const Word sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const Word t1 = h + sum1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
    const Word sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const Word t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Digest mixed{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

// What is left after the whole blocks, a one bit, zeros, and the length in bits.
std::string padded_tail(std::string_view tail, std::uint64_t length) {
  std::string block(tail);
  block += '\x80';
  while (block.size() % block_bytes != block_bytes - 8) block += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    block += static_cast<char>((length * 8) >> static_cast<unsigned>(shift));
  return block;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::size_t whole = bytes.size() / block_bytes * block_bytes;
  const auto absorb = [&](std::string_view part) {
    for (std::size_t i = 0; i + block_bytes <= part.size(); i += block_bytes)
      compress(state, reinterpret_cast<const unsigned char*>(part.data()) + i);
  };
  absorb(bytes.substr(0, whole));
  absorb(padded_tail(bytes.substr(whole), bytes.size()));
  std::string digits;
  for (const Word word : state) digits += fmt::format("{:08x}", word);
  return digits;
}

}  // namespace strata
