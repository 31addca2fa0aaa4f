#include <fstream>
#include <stdexcept>

#include "fuzz/targets.h"
#include "strata/core/errors.h"
#include "strata/core/state_file.h"
#include "strata/core/tensor_file.h"
#include "strata/data/pack.h"
#include "strata/model/model.h"
#include "strata/trainers/presets.h"
#include "support/files.h"
#include "support/models.h"
#include "support/reference_model.h"
#include "support/training.h"

namespace strata::fuzz {

namespace {

// Blanks in its place: with a checksum every mutation would be refused for the same reason.
std::string without_checksum(std::string bytes) {
  const std::size_t at = bytes.find("\"strata.checksum\"");
  if (at == std::string::npos) return bytes;
  const std::size_t length = bytes.find(',', at) + 1 - at;
  return bytes.replace(at, length, length, ' ');
}

std::vector<std::string> tables() {
  return {
      "area,street,rooms,price\n50,north,2,100\n80.5,south,3,170\n,east,4,260\n120,north,5,250\n65,south,?,"
      "140\n",
      "a;b;c\n1,5;2;x\n2,5;3;y\n3;4;\"q;\"\"r\"\"\"\n",
      "a\tb\n1e308\t-1.7e308\n1.7e308\t5e-324\nnan\tNA\n",
      "1,2,3\r\n4,5,6\r\n7,8,9\r\n",
      "\xef\xbb\xbf\"first name\",y\n\"a\nb\",1\nc,2\nd,3\n",
      "a",
      "a\n",
      "sep=c\na,b\n1,2\n",
      ",,,\n,,,\n",
      "a,\x1b]0;x\x07,y\n1,2,3\n2,3,4\n3,4,6\n4,5,7\n",
      "x,y\n1,1\n2,4\n3,9\n4,16\n5,25\n6,36\n7,49\n8,64\n9,81\n10,100\n"};
}

std::vector<std::string> arff_files() {
  return {
      "@relation r\n@attribute a numeric\n@attribute 'b c' {x, 'y z'}\n@data\n1,x\n2,'y z'\n?,x\n% comment\n",
      "@RELATION r\n@ATTRIBUTE a REAL\n@ATTRIBUTE s STRING\n@DATA\n1.5,\"text\"\n{0 2, 1 b}\n",
      "@relation\n@attribute\n@data\n"};
}

std::vector<std::string> keel_files() {
  return {
      "@relation r\n@attribute a real [0.0, 1.0]\n@attribute b {x, y}\n@attribute c integer [0, 5]\n@inputs "
      "a, b\n"
      "@outputs c\n@data\n0.5, x, 1\n0.25, y, <null>\n",
      "@relation r\n@attribute a real\n@inputs a\n@outputs nothing\n@data\n1\n"};
}

std::vector<std::string> gz_files() {
  std::vector<std::string> files;
  for (const std::string& table : tables()) files.push_back(support::gzipped(table));
  files.push_back(support::gzipped(std::string(100000, ',')));
  files.push_back(support::gzipped(tables()[0]) + support::gzipped(tables()[0]));
  return files;
}

std::vector<std::string> rows_files() {
  std::vector<std::string> files;
  const support::TemporaryDirectory directory;
  for (const std::string& table : tables()) {
    try {
      const auto packed = directory.path() / "rows.strata-rows";
      pack_table(directory.file("rows.csv", table), packed);
      std::ifstream in(packed, std::ios::binary);
      files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    } catch (const Error&) {  // not every seed is a table
      continue;
    }
  }
  return files;
}

std::vector<std::string> models() {
  std::vector<std::string> files{support::reference_model(),
                                 without_checksum(model_bytes(support::house_model())),
                                 model_bytes(support::house_model())};
  std::string not_finite = support::reference_model();
  not_finite.replace(not_finite.size() - 8, 8, std::string("\0\0\0\0\0\0\xf8\x7f", 8));
  files.push_back(not_finite);
  return files;
}

// The state of a short run of each method, and parts that are nested deep.
std::vector<std::string> checkpoints() {
  std::vector<std::string> files;
  const testing_support::SmallProblem problem;
  for (const char* const method : {"blgn", "adam", "lbfgs", "saga", "b2ld"}) {
    Network network(problem.start);
    Scheme scheme = preset(method, network.layers());
    scheme.stopping.max_sweeps = 2;
    TrainOptions options{.objective = problem.objective};
    TensorFile file;
    options.checkpoints.every_seconds = 1e-9;
    options.checkpoints.save = [&file](const State& state) {
      file = {};
      put_state(file, "run", state);
    };
    train(network, problem.data, scheme, options);
    files.push_back(without_checksum(tensor_file_bytes(file)));
  }
  TensorFile nested;
  nested.metadata["run/"];
  std::string name = "run/";
  for (int level = 0; level < 40; ++level) name += "a/";
  nested.metadata[name];
  files.push_back(without_checksum(tensor_file_bytes(nested)));
  return files;
}

std::vector<std::string> toml_files() {
  return {
      "title = \"t\"\ndatasets = [\"bike\"]\nnetworks = [\"1x50\"]\nseconds = { b2ld = 1, adam = 2 }\nruns = "
      "2\n\n"
      "[[variant]]\nname = \"paper\"\nchanges = \"none\"\n",
      "[[?variant]]\nname = 1\n",
      "a = 00\\\"\xc3\xa9\" # \xc3\xa9\n",
      "\xef\xbb\xb7# not a byte order mark\na = 1\n",
      "a = {\xe3\x80\x81}\nb = '''\n\xc3\xa9'''\n",
      "a = \"\\u00e9 \xc3\xa9\" # \xc3\xa9\n[x.y]\nz = 1979-05-27T07:32:00Z\nw = [0x1F, 1e3, inf]\n"};
}

std::vector<std::string> traces() {
  const std::string step = to_json(StepRecord{}) + "\n";
  const std::string sweep = to_json(SweepRecord{}) + "\n";
  const std::string run =
      R"("run":{"data":"t.csv","targets":["y"],"rows":9,"method":"ig","network":"2-5-1","weights":21,"members":1}})"
      "\n";
  const std::string result =
      R"({"result":{"rows":{"train":9},"reason":"max_sweeps","best_sweep":1,"of_members":[{"best_sweep":1}]}})"
      "\n";
  return {step + sweep + step + sweep,
          sweep + "{",
          step,
          "{}\n",
          "[1]\n" + sweep,
          "{" + run + step + sweep + result,
          "{\"seed\":1," + run + sweep};
}

std::vector<std::string> records() {
  return {
      R"({"variant":"paper","data":"bike","network":"1x50","method":"b2ld","seed":1,"reason":"time_limit","n":5,)"
      R"("rows":{"train":3,"test":2},"l2":0.1,"limit":1,"objective":0.5,"gradient_norm":0.1,"train_mse":0.1,)"
      R"("test_mse":null,"r2":{"test":0.5},"seconds":1,"sweeps":3,"updates_per_layer":[3,3],"curve":[[0.1,0.5]]})"
      "\n",
      R"({"version":"0.1","time_scale":1,"runs":2,"threads":1,"jobs":1,"cpu":"c","cores":2,"compiler":"g",)"
      R"("clock":"processor"})",
      "{\"seed\":-1}\n", "{\n"};
}

}  // namespace

std::vector<std::string> seeds(const std::string& target) {
  if (target == "csv" || target == "train") return tables();
  if (target == "arff") return arff_files();
  if (target == "keel") return keel_files();
  if (target == "gz") return gz_files();
  if (target == "rows") return rows_files();
  if (target == "model") return models();
  if (target == "checkpoint") return checkpoints();
  if (target == "toml") return toml_files();
  if (target == "trace") return traces();
  if (target == "records") return records();
  throw std::invalid_argument("there are no seeds for " + target);
}

}  // namespace strata::fuzz
