// libFuzzer: strata_fuzz with STRATA_FUZZ_TARGET=csv looks for bytes that the target does not survive. As
// "strata_fuzz --seeds DIR" it writes the seeds of every target to DIR/<target>/, and says which targets there are.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/targets.h"

namespace {

strata::fuzz::Target chosen = nullptr;

void write_seeds(const std::filesystem::path& directory) {
  for (const auto& [name, target] : strata::fuzz::targets()) {
    std::filesystem::create_directories(directory / name);
    std::printf("%s\n", name.c_str());
    int count = 0;
    for (const std::string& bytes : strata::fuzz::seeds(name))
      std::ofstream(directory / name / ("seed" + std::to_string(count++)), std::ios::binary) << bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::string((*argv)[1]) == "--seeds") {
    write_seeds((*argv)[2]);
    std::exit(0);
  }
  const char* const name = std::getenv("STRATA_FUZZ_TARGET");
  const auto found = strata::fuzz::targets().find(name != nullptr ? name : "");
  if (found == strata::fuzz::targets().end()) {
    std::fputs("set STRATA_FUZZ_TARGET to one of:", stderr);
    for (const auto& [known, target] : strata::fuzz::targets()) std::fprintf(stderr, " %s", known.c_str());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
