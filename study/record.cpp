#include "study/record.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <streambuf>

#include "core/json.h"
#include "data/source.h"
#include "strata/core/errors.h"
#include "study/configuration.h"
#include "study/fields.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

std::string network(const Fields& fields, const std::string& where) {
  std::string name = fields.text("network");
  try {
    (void)hidden_layers(name);
  } catch (const InvalidOption& refusal) {
    throw DataError({where}, refusal.what());
  }
  return name;
}

std::vector<std::size_t> updates(const Fields& fields, std::size_t layers) {
  constexpr const char* name = "updates_per_layer";
  std::vector<std::size_t> counts;
  for (const nlohmann::json& value : fields.list(name)) counts.push_back(fields.whole(value, name));
  if (counts.size() != layers) fields.refuse(name, fmt::format("one for each of the {} layers", layers));
  return counts;
}

std::vector<std::pair<double, double>> curve(const Fields& fields) {
  constexpr const char* name = "curve";
  std::vector<std::pair<double, double>> points;
  for (const nlohmann::json& point : fields.list(name)) {
    if (!point.is_array() || point.size() != 2) fields.refuse(name, "a list of pairs [seconds, objective]");
    points.emplace_back(fields.number(point[0], name), fields.number(point[1], name));
  }
  return points;
}

RunRecord run_from(const std::string& text, const std::string& where) {
  const JsonDocument document = parse_json(text, where, "the record");
  const nlohmann::json& object = document.root();
  const Fields fields(where, object);
  const Fields rows = fields.object("rows");
  const Fields r2 = fields.object("r2");
  const std::string name = network(fields, where);
  return {.variant = fields.text("variant"),
          .data = fields.text("data"),
          .network = name,
          .method = fields.text("method"),
          .seed = fields.whole("seed"),
          .reason = fields.text("reason"),
          .variables = fields.whole("n"),
          .train_rows = rows.whole("train"),
          .test_rows = rows.whole("test"),
          .l2 = fields.number("l2"),
          .limit = fields.number("limit"),
          .objective = fields.number("objective"),
          .gradient_norm = fields.number("gradient_norm"),
          .train_mse = fields.number("train_mse"),
          .test_mse = fields.number("test_mse"),
          .test_r2 = r2.number("test"),
          .seconds = fields.number("seconds"),
          .sweeps = fields.whole("sweeps"),
          .updates_per_layer = updates(fields, hidden_layers(name).size() + 1),
          .curve = curve(fields)};
}

std::string read_file_of_study(const fs::path& path) {
  if (!fs::is_regular_file(path))
    throw DataError({path.string()}, "cannot be read; name a directory that strata reproduce has written");
  const auto bytes = file_source(path, false).open();
  return {std::istreambuf_iterator<char>(bytes.get()), {}};
}

// Appends the runs of a file, a line each; an incomplete last line is one that is being written.
void append_runs(const fs::path& path, std::vector<RunRecord>& runs,
                 std::map<std::string, std::string>& places) {
  const std::string text = read_file_of_study(path);
  std::size_t begin = 0;
  for (std::size_t line = 1;; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string where = fmt::format("{}, line {}", path.string(), line);
    runs.push_back(run_from(text.substr(begin, end - begin), where));
    const auto [found, is_new] = places.emplace(runs.back().key(), where);
    if (!is_new)
      throw DataError({where}, fmt::format("the run {} is there already, in {}; remove one of them",
                                           found->first, found->second));
    begin = end + 1;
  }
}

}  // namespace

std::string RunRecord::key() const {
  return fmt::format("{} {} {} {} {}", variant, data, network, method, seed);
}

std::vector<RunRecord> read_runs(const fs::path& directory) {
  std::vector<RunRecord> runs;
  std::map<std::string, std::string> places;
  const fs::path kept = directory / kept_runs_file;
  if (fs::exists(kept)) append_runs(kept, runs, places);
  if (runs.empty() || fs::exists(directory / runs_file)) append_runs(directory / runs_file, runs, places);
  return runs;
}

namespace {

// Studies of earlier versions have none.
std::vector<std::string> titles_in(const Fields& fields, const nlohmann::json& object) {
  std::vector<std::string> titles;
  if (!object.contains("titles")) return titles;
  for (const nlohmann::json& title : fields.list("titles")) {
    if (!title.is_string()) fields.refuse("titles", "texts");
    titles.push_back(title.get<std::string>());
  }
  return titles;
}

}  // namespace

StudyInfo read_study(const fs::path& directory) {
  const std::string where = (directory / study_file).string();
  const JsonDocument document = parse_json(read_file_of_study(directory / study_file), where, "the study");
  const nlohmann::json& object = document.root();
  const Fields fields(where, object);
  return {.version = fields.text("version"),
          .time_scale = fields.number("time_scale"),
          .runs = fields.whole("runs"),
          .threads = fields.whole("threads"),
          .jobs = fields.whole("jobs"),
          .cpu = fields.text("cpu"),
          .cores = fields.whole("cores"),
          .compiler = fields.text("compiler"),
          .clock = fields.text("clock"),
          .titles = titles_in(fields, object)};
}

std::string to_json(const StudyInfo& study) {
  nlohmann::ordered_json object{{"version", study.version}, {"time_scale", study.time_scale},
                                {"runs", study.runs},       {"threads", study.threads},
                                {"jobs", study.jobs},       {"cpu", study.cpu},
                                {"cores", study.cores},     {"compiler", study.compiler},
                                {"clock", study.clock}};
  if (!study.titles.empty()) object["titles"] = study.titles;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace strata
