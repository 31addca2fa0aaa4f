// strata inspect: what is in a model file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "strata/core/printable.h"
#include "strata/model/model.h"
#include "terminal.h"

namespace app {

namespace {

using Json = nlohmann::ordered_json;

std::string heading(const std::string& text) { return paint_result(Paint::heading, text) + "\n"; }

std::string encoding(const Json& column) {
  std::string text;
  if (column.contains("parts")) {
    std::string names;
    for (const Json& name : column["parts"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    text = fmt::format("date: {}", names);
  } else if (column.contains("categories")) {
    std::string names;
    for (const Json& name : column["categories"])
      names += (names.empty() ? "" : ", ") + strata::printable(name.get<std::string>());
    text = fmt::format("categories: {}", names);
  } else {
    text = fmt::format("number, (x - {:.6g}) / {:.6g}", column["offset"].get<double>(),
                       column["range"].get<double>());
  }
  return text + (column["indicator"].get<bool>() ? ", and whether it is missing" : "");
}

std::string columns(const Json& list) {
  std::string text;
  for (const Json& column : list)
    text +=
        fmt::format("  {:<24} {}\n", strata::printable(column["name"].get<std::string>()), encoding(column));
  return text;
}

// The record is whatever training left there: names and values, nested ones on one line.
std::string record(const Json& training) {
  std::string text;
  for (const auto& [name, value] : training.items())
    text += fmt::format("  {:<24} {}\n", strata::printable(name),
                        strata::printable(value.is_string() ? value.get<std::string>() : value.dump()));
  return text.empty() ? "  nothing is recorded\n" : text;
}

std::string loss(const Json& loss) {
  std::string options;
  for (const auto& [name, value] : loss.items())
    if (name != "name") options += fmt::format("{}{} = {}", options.empty() ? "" : ", ", name, value.dump());
  return loss["name"].get<std::string>() + (options.empty() ? "" : " (" + options + ")");
}

std::string calibration(const Json& model) {
  if (model["task"] != "classification") return "";
  return fmt::format(", probabilities at the temperature {:.4g}", model["temperature"].get<double>());
}

std::string members(const Json& model) {
  const auto count = model["members"].get<std::size_t>();
  return count > 1 ? fmt::format("{} members, each ", count) : "";
}

std::string as_text(const Json& model) {
  const Json& architecture = model["architecture"];
  return heading("task") +
         fmt::format("  {}, loss {}{}\n", model["task"].get<std::string>(), loss(model["loss"]),
                     calibration(model)) +
         heading("network") +
         fmt::format("  {}{}, bias {}, {} weights\n", members(model),
                     architecture["brief"].get<std::string>(), architecture["bias"].get<std::string>(),
                     architecture["weights"].get<std::size_t>()) +
         heading("inputs") + columns(model["inputs"]) + heading("targets") + columns(model["targets"]) +
         heading("policies") +
         fmt::format("  missing values: {}; categories not seen in training: {}\n",
                     model["missing"].get<std::string>(), model["unseen"].get<std::string>()) +
         heading("training") + record(model["training"]);
}

int run_inspect(const Settings& settings) {
  const std::string json = inspect_json(strata::load_model(settings.text("MODEL")));
  Output out;
  out.stream() << (settings.on("json") ? json + "\n" : as_text(Json::parse(json)));
  out.commit();
  return done;
}

}  // namespace

Command inspect_command() {
  return {.name = "inspect",
          .summary = "Show what is in a model: network, inputs and their encodings, how it was trained",
          .examples =
              "strata inspect housing.strata.safetensors\n"
              "strata inspect housing.strata.safetensors --json",
          .arguments = {{"MODEL", "a file written by strata train"}},
          .options = {{"json", "", "one JSON object"}},
          .run = run_inspect};
}

}  // namespace app
