// The seeds of every reader, and mutations of them, in the suite. STRATA_MUTATIONS is how many for each reader (10000);
// libFuzzer (make soak) looks further.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/targets.h"
#include "strata/core/random.h"

namespace strata::fuzz {
namespace {

std::size_t up_to(RandomStream& random, std::size_t most) { return most == 0 ? 0 : random.below(most); }

// A few changes as a damaged disk, a careless editor or an attacker makes them.
std::string mutated(std::string bytes, const std::vector<std::string>& others, RandomStream& random) {
  static const std::vector<std::string> pieces{
      "\"",   "'",    ",",    "\n", "\r",    "{",       "}",
      "[",    "]",    "0",    "-1", "1e999", "nan",     "18446744073709551616",
      "\xff", "\xc3", "null", "/",  ":",     "\x1b[2J", "@data"};
  for (std::size_t change = 1 + up_to(random, 4); change-- > 0;) {
    const std::size_t at = up_to(random, bytes.size());
    const std::size_t length = up_to(random, std::min<std::size_t>(bytes.size() - at, 40));
    switch (up_to(random, 6)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << up_to(random, 8)));
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = static_cast<char>(up_to(random, 256));
        break;
      case 2: bytes.erase(at, length); break;
      case 3: bytes.insert(at, bytes.substr(at, length)); break;
      case 4: bytes.insert(at, pieces[up_to(random, pieces.size())]); break;
      default: {
        const std::string& other = others[up_to(random, others.size())];
        bytes = bytes.substr(0, at) + other.substr(up_to(random, other.size()));
      }
    }
  }
  return bytes;
}

class EveryReader : public testing::TestWithParam<std::string> {};

TEST_P(EveryReader, RefusesOrWorksWhateverTheBytesAre) {
  const Target target = targets().at(GetParam());
  const std::vector<std::string> files = seeds(GetParam());
  for (const std::string& file : files) target(file);
  const char* const asked = std::getenv("STRATA_MUTATIONS");
  const std::size_t count = asked != nullptr ? std::strtoul(asked, nullptr, 10) : 10000;
  RandomStream random(1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string bytes = mutated(files[up_to(random, files.size())], files, random);
    SCOPED_TRACE(i);
    target(bytes);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, target] : targets()) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Mutations, EveryReader, testing::ValuesIn(names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace strata::fuzz
