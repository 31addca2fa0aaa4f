#include "strata/model/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <streambuf>
#include <string>

#include "strata/core/errors.h"
#include "support/allocation_counter.h"
#include "support/files.h"
#include "support/models.h"
#include "support/reference_model.h"

extern "C" void __asan_init() __attribute__((weak));  // where the library has the address sanitizer

namespace strata {
namespace {

using support::gzipped;
using support::house_model;
using support::reference_predictions;
using support::refusal;
using support::TemporaryDirectory;
using testing::HasSubstr;
using testing::StartsWith;

std::string predict(const Model& model, const std::string& text, const PredictOptions& options = {}) {
  std::istringstream in(text);
  std::ostringstream out;
  predict_csv(model, in, "rows.csv", out, options);
  return out.str();
}

std::string problem(const Model& model, const std::string& text) {
  return refusal<DataError>([&] { predict(model, text, {.rows_at_once = 2}); });
}

// Rows of all kinds for the model of houses: gaps, quoted line ends in a column that is not looked at, and numbers.
std::string many_houses(std::size_t count) {
  const std::vector<std::string> streets{"north", "south", "east", "\"north\"", ""};
  std::string text = "note,rooms,street,area,price\n";
  for (std::size_t row = 0; row < count; ++row) {
    text += row % 3 == 0 ? "\"two\nlines, \"\"quoted\"\"\"," : "text,";
    text += row % 5 == 0 ? "NA," : std::to_string(row % 9) + ",";
    text += streets[row % streets.size()] + "," + std::to_string(40 + 0.37 * static_cast<double>(row)) +
            ",not known\n";
  }
  return text;
}

TEST(Predict, IsTheWholePredictionForEveryPieceSizeAndNumberOfThreads) {
  const Model model = house_model();
  const std::string text = many_houses(1500);
  const Table table = parse_csv(text, "rows.csv", model.preprocessor.read_options(false));
  const Dataset data = model.preprocessor.apply_inputs(table);
  Vector outputs(data.rows);
  const Matrix whole(outputs.data(), data.rows, 1);
  const Vector features = feature_rows(data);
  model.networks.front().predict({features.data(), data.rows, data.features()}, whole);
  for (double& number : outputs) number = model.preprocessor.target().to_own_units(number);

  const std::string first = predict(model, text);
  std::istringstream lines(first);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "price");
  for (const double expected : outputs) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(std::stod(line), expected);  // to the last bit
  }
  EXPECT_FALSE(std::getline(lines, line));
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{513},
                                    std::numeric_limits<std::size_t>::max()})
    for (const std::size_t threads : {1, 3}) {
      Engine engine({.threads = threads});
      EXPECT_EQ(predict(model, text, {.rows_at_once = at_once, .engine = &engine}), first) << at_once;
    }
}

// A task may be the caller's every time: the workers are given many chances.
TEST(Predict, ThrowsWhenAWorkerHasNoMemory) {
  const Model model = house_model();
  const Table table = parse_csv(many_houses(20000), "rows.csv", model.preprocessor.read_options(false));
  Vector outputs(table.rows());
  Engine engine({.threads = 3});
  const auto predict_often = [&] {
    const test::NoMemoryInOtherThreads no_memory;
    for (int round = 0; round < 1000; ++round)
      predict(model, table, {outputs.data(), outputs.size(), 1}, engine);
  };
  EXPECT_THROW(predict_often(), std::bad_alloc);
}

TEST(Predict, WritesEveryTargetByName) {
  const Table table = parse_csv("x,\"a, b\",c\n0,1,2\n1,0.1,4\n", "two");
  const Preprocessor preprocessor = Preprocessor::fit(table, {.targets = {"a, b", "c"}});
  Network network({.inputs = 1, .outputs = 2});
  network.layer(0)(0, 1) = 1;
  EXPECT_EQ(predict({{network}, preprocessor}, "x\n0\n1\n"), "\"a, b\",c\n0.1,2\n0.1,4\n");
}

TEST(Predict, GivesNaForARowThatThePolicyDrops) {
  const Model model = house_model({.targets = {"price"}, .missing = MissingPolicy::drop});
  const std::string complete = predict(model, "area,street,rooms\n50,north,2\n70,south,3\n");
  const std::string second = complete.substr(complete.find('\n', 6));
  const std::string out = predict(model, "area,street,rooms\n,north,2\n50,north,?\n70,south,3\n");
  EXPECT_EQ(out, "price\nNA\nNA" + second);
}

TEST(Predict, RefusesWithTheLineOfTheFile) {
  const Model model = support::reference();
  EXPECT_EQ(problem(model, "C,x\na,1\n"), "rows.csv: there is no column 'c'; did you mean 'C'?");
  EXPECT_THAT(problem(model, "x,c\n1,a\n2,b\n3,\"a\nb\"\n"),
              StartsWith("rows.csv, line 4, column 2: 'a.b' in column 'c' did not occur in training"));
  EXPECT_THAT(problem(model, "note,x,c\n,1,a\n,2,b\n,three,a\n"),
              StartsWith("rows.csv, line 4, column 2: 'three' is not a number"));
  EXPECT_THAT(problem(model, "note,x,c\n,1,a\n,2,b\n,,a\n"),
              StartsWith("rows.csv, line 4, column 2: the column 'x' has no value"));
  EXPECT_THAT(problem(model, "note,x,c\n,1,a\n,2,b\n,3\n"),
              StartsWith("rows.csv, line 4: the row has 2 cells"));
  EXPECT_THAT(refusal<InvalidOption>([&] { predict(model, "x,c\n1,a\n", {.rows_at_once = 0}); }),
              HasSubstr("'rows_at_once' = '0'"));
}

TEST(Predict, ReadsFilesOfEveryFormat) {
  const TemporaryDirectory directory;
  const Model model = support::reference();
  const auto of = [&](const std::string& name, const std::string& content) {
    std::ostringstream out;
    EXPECT_EQ(predict_file(model, directory.file(name, content), out), 3U);
    return out.str();
  };
  EXPECT_EQ(of("rows.csv", support::reference_rows), reference_predictions);
  EXPECT_EQ(of("rows.csv.gz", gzipped(support::reference_rows)), reference_predictions);
  EXPECT_EQ(of("rows.tsv", "c\tx\nb\t12\na\t10\na\t14\n"), reference_predictions);
  EXPECT_EQ(of("rows.arff", "@relation r\n@attribute c {a,b}\n@attribute x real\n@data\nb,12\na,10\na,14\n"),
            reference_predictions);
  std::ostringstream out;
  EXPECT_THAT(refusal<DataError>([&] { predict_file(model, directory.path() / "none.csv", out); }),
              HasSubstr("none.csv: the file cannot be opened"));
  EXPECT_THAT(refusal<DataError>([&] { predict_file(model, directory.file("rows.doc", "x"), out); }),
              HasSubstr("the extension is not known"));
}

TEST(Predict, SaysWhenThePredictionsCannotBeWritten) {
  std::istringstream in(support::reference_rows);
  std::ostream nowhere(nullptr);
  EXPECT_THAT(refusal<Error>([&] { predict_csv(support::reference(), in, "rows", nowhere); }),
              HasSubstr("the predictions cannot be written"));
}

// Rows without end: the same block of them, again and again.
class EndlessRows final : public std::streambuf {
 public:
  explicit EndlessRows(std::size_t rows) : blocks_(rows / rows_per_block) {
    for (std::size_t row = 0; row < rows_per_block; ++row) block_ += "12,b\n";
    setg(header_.data(), header_.data(), header_.data() + header_.size());
  }

 private:
  static constexpr std::size_t rows_per_block = 10000;
  int_type underflow() override {
    if (blocks_ == 0) return traits_type::eof();
    --blocks_;
    setg(block_.data(), block_.data(), block_.data() + block_.size());
    return traits_type::to_int_type(block_.front());
  }
  std::string header_ = "x,c\n";
  std::string block_;
  std::size_t blocks_;
};

class CountingOutput final : public std::streambuf {
 public:
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  int_type overflow(int_type c) override {
    ++bytes_;
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* /*text*/, std::streamsize count) override {
    bytes_ += static_cast<std::size_t>(count);
    return count;
  }
  std::size_t bytes_ = 0;
};

// The most memory the program ever had, in kilobytes.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Predict, NeedsNoMoreMemoryForMoreRows) {
  if (__asan_init != nullptr) GTEST_SKIP() << "the sanitizer keeps memory that was given back";
  const Model model = support::reference();
  const auto run = [&](std::size_t rows) {
    EndlessRows source(rows);
    CountingOutput sink;
    std::istream in(&source);
    std::ostream out(&sink);
    EXPECT_EQ(predict_csv(model, in, "rows", out), rows);
    EXPECT_EQ(sink.bytes(), 2 + 6 * rows);  // "y" and "81.25", each with its line end
  };
  // In a process of its own: what earlier tests gave back would hide what is taken here.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto growth = [&] {
    run(500000);
    const long before = peak_memory();
    run(3000000);  // 15 megabytes of text, 24 of predictions as doubles
    return peak_memory() - before;
  };
  EXPECT_EXIT(std::exit(growth() < 4000 && !HasFailure() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace strata
