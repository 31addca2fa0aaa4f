// Reading a CSV file into a table. STRATA_BENCH_CSV names the file (the comparison with pandas and polars writes one);
// without it a numeric table of 200000 x 12 is written to the temporary directory first. STRATA_BENCH_THREADS: 1 otherwise.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "strata/core/random.h"
#include "strata/data/read.h"

namespace {

std::filesystem::path write_numeric_csv() {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "strata_bench_read_csv.csv";
  constexpr int rows = 200000;
  constexpr int columns = 12;
  strata::RandomStream stream(1);
  std::ofstream file(path);
  for (int c = 0; c < columns; ++c) file << (c > 0 ? "," : "") << "x" << c + 1;
  file << '\n';
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) file << (c > 0 ? "," : "") << fmt::format("{}", stream.normal());
    file << '\n';
  }
  return path;
}

const std::filesystem::path& csv_file() {
  static const std::filesystem::path path = [] {
    const char* given = std::getenv("STRATA_BENCH_CSV");
    return given != nullptr ? std::filesystem::path(given) : write_numeric_csv();
  }();
  return path;
}

std::size_t threads() {
  const char* given = std::getenv("STRATA_BENCH_THREADS");
  return given != nullptr ? std::stoul(given) : 1;
}

void read_csv(benchmark::State& state) {
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(csv_file()));
  for (auto _ : state) {
    const strata::Table table = strata::read_table(csv_file(), {.threads = threads()});
    benchmark::DoNotOptimize(table.columns.front().numbers.data());
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}
BENCHMARK(read_csv)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace

BENCHMARK_MAIN();
