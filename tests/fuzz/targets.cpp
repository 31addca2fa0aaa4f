#include "fuzz/targets.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "data/rows_file.h"
#include "strata/core/errors.h"
#include "strata/core/printable.h"
#include "strata/core/state_file.h"
#include "strata/core/tensor_file.h"
#include "strata/data/read.h"
#include "strata/model/fit.h"
#include "strata/model/metrics.h"
#include "strata/model/predict.h"
#include "support/training.h"
#ifdef STRATA_STUDY
#include "study/configuration.h"
#include "study/record.h"
#include "study/report.h"
#include "study/tables.h"
#endif

namespace strata::fuzz {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

// A refusal is one line, without control characters, that names the file.
void check_sentence(const Error& refusal, const std::string& file) {
  const std::string said = refusal.what();
  if (said != printable(said)) fail("a refusal with control characters: " + said);
  if (said.find(file) == std::string::npos) fail("a refusal that does not name the file: " + said);
}

template <class Use>
void use(const std::string& file, const Use& code) {
  try {
    code();
  } catch (const Error& refusal) {
    check_sentence(refusal, file);
  }
}

// Files for the readers that want one, written anew for each input; in memory where the system has such a place.
class Directory {
 public:
  Directory() {
    std::string pattern = (fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/strata-fuzz-XXXXXX");
    if (::mkdtemp(pattern.data()) == nullptr) fail("there is no place for files");
    path_ = pattern;
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }

 private:
  fs::path path_;
};

std::string written(const std::string& name, std::string_view bytes) {
  static const Directory directory;
  return directory.file(name, bytes);
}

void csv(std::string_view bytes) {
  use("rows.csv", [&] {
    const Table table = parse_csv(bytes, "rows.csv");
    for (const Column& column : table.columns)
      if (column.size() != table.rows()) fail("columns of different lengths");
  });
}

void arff(std::string_view bytes) {
  const std::string file = written("rows.arff", bytes);
  use(file, [&] { read_table(file); });
}

void keel(std::string_view bytes) {
  const std::string file = written("rows.dat", bytes);
  use(file, [&] { read_table(file); });
}

void gz(std::string_view bytes) {
  const std::string file = written("rows.csv.gz", bytes);
  use(file, [&] { read_table(file); });
}

// With the length and the checksum that the description of a packed table should have: otherwise every mutation of it would be
// refused for the same reason.
std::string with_checksum(std::string bytes) {
  constexpr std::size_t trailer = 32;
  if (bytes.size() < trailer) return bytes;
  const std::size_t end = bytes.size() - trailer;
  const std::uint64_t begin = rows_file::word_at(bytes, end);
  if (begin > end) return bytes;
  std::string sum;
  rows_file::append_word(sum, end - begin);
  rows_file::append_word(sum, rows_file::checksum(std::string_view(bytes).substr(begin, end - begin)));
  return bytes.replace(end + 8, sum.size(), sum);
}

// In memory, and where it is.
void rows(std::string_view bytes) {
  const std::string file = written("rows.strata-rows", with_checksum(std::string(bytes)));
  for (const std::size_t memory : {std::size_t{0}, std::size_t{1}})
    use(file, [&] {
      const Table table = read_table(file, {.memory = memory});
      for (const Column& column : table.columns)
        for (std::size_t row = 0; row < table.rows(); row += 1000) static_cast<void>(column.text(row));
    });
}

void train_on(std::string_view bytes) {
  use("rows.csv", [&] {
    const Table table = parse_csv(bytes, "rows.csv");
    constexpr std::size_t most_rows = 100;
    constexpr std::size_t most_columns = 12;
    if (table.rows() > most_rows || table.columns.size() > most_columns) return;
    FitOptions options;
    options.preprocess.targets = {table.columns.back().name};
    options.preprocess.missing = MissingPolicy::impute;
    options.preprocess.max_categories = most_rows;
    options.validation = {};
    options.hidden = {3};
    options.limits.sweeps = 2;
    try {
      const FitResult result = fit(table, options);
      if (!std::isfinite(result.training.value)) return;  // the program says that there is no model
      const Model model = parse_model(model_bytes(result.model), "rows.csv");
      evaluate(model, table);
    } catch (const InvalidOption&) {  // too few rows for what was asked
      return;
    }
  });
}

void model(std::string_view bytes) {
  use("model", [&] {
    const Model read = parse_model(bytes, "model");
    if (read.networks.front().size() > 100000) return;
    if (model_bytes(parse_model(model_bytes(read), "model")) != model_bytes(read))
      fail("a model that changes");
    std::istringstream rows("x,c\n12,b\n10,a\n");
    std::ostringstream out;
    try {
      predict_csv(read, rows, "model", out);
    } catch (const DataError&) {  // other columns than these
      return;
    }
  });
}

void checkpoint(std::string_view bytes) {
  static const std::vector<const char*> methods{"blgn", "adam", "lbfgs", "saga", "b2ld"};
  use("run.ckpt", [&] {
    const State state = get_state(parse_tensor_file(bytes, "run.ckpt"), "run");
    static const testing_support::SmallProblem problem;
    for (const char* const method : methods) {
      Network network(problem.start);
      Scheme scheme = preset(method, network.layers());
      scheme.stopping.max_sweeps = 3;
      TrainOptions options{.objective = problem.objective};
      options.checkpoints.resume = &state;
      use("run.ckpt", [&] { train(network, problem.data, scheme, options); });
    }
  });
}

#ifdef STRATA_STUDY
void toml(std::string_view bytes) {
  use("study.toml", [&] {
    try {
      parse_configuration(bytes, "study.toml");
    } catch (const InvalidOption&) {  // of a value that is no name of a method or network
      return;
    }
  });
}

void trace(std::string_view bytes) {
  const std::string file = written("trace.jsonl", bytes);
  use(file, [&] { trace_report(file); });
}

void records(std::string_view bytes) {
  const std::string file = written(runs_file, bytes);
  written(study_file, bytes);
  const std::string directory = fs::path(file).parent_path().string();
  use(directory, [&] {
    for (const TableView& table : paper_tables(read_runs(directory))) print(table, TableFormat::latex);
  });
  use(directory, [&] { read_study(directory); });
}
#endif

}  // namespace

const std::map<std::string, Target>& targets() {
  static const std::map<std::string, Target> all{
      {"csv", csv},   {"arff", arff},      {"keel", keel},       {"gz", gz},
      {"rows", rows}, {"train", train_on}, {"model", model},     {"checkpoint", checkpoint},
#ifdef STRATA_STUDY
      {"toml", toml}, {"trace", trace},    {"records", records},
#endif
  };
  return all;
}

}  // namespace strata::fuzz
