#include "strata/model/loss_choice.h"

#include <fmt/format.h>

#include <utility>

#include "core/json.h"
#include "core/json_text.h"
#include "strata/core/errors.h"
#include "strata/core/option_text.h"

namespace strata {

namespace {

std::string_view default_loss(Target::Kind kind) {
  switch (kind) {
    case Target::Kind::binary: return "logistic";
    case Target::Kind::multiclass: return "softmax";
    default: return "squared";
  }
}

bool is_for_classes(std::string_view loss) { return loss_info(loss).for_classes; }

}  // namespace

std::string LossChoice::to_json() const {
  JsonText json;
  json.begin_object().member("name", name);
  if (name == "huber") json.member("delta", options.delta);
  if (name == "quantile") json.member("levels", options.levels).member("width", options.width);
  if (name == "softmax") json.member("classes", options.classes);
  return std::move(json.end_object().text());
}

LossChoice LossChoice::from_json(std::string_view text) {
  const JsonDocument document = parse_json(text, "loss", "the stored text");
  const nlohmann::json& json = document.root();
  try {
    LossChoice read{.name = json.at("name").get<std::string>()};
    if (read.name == "huber") json.at("delta").get_to(read.options.delta);
    if (read.name == "quantile") {
      json.at("levels").get_to(read.options.levels);
      json.at("width").get_to(read.options.width);
    }
    if (read.name == "softmax") json.at("classes").get_to(read.options.classes);
    static_cast<void>(read.make());
    return read;
  } catch (const nlohmann::json::exception&) {
    throw DataError({"loss"}, "its text lacks a member or has one of another type");
  }
}

LossChoice loss_for(const Preprocessor& preprocessor, std::string_view name, LossOptions options) {
  const std::size_t classes = preprocessor.classes().size();
  if (name.empty()) name = default_loss(preprocessor.target().kind());
  if (classes > 0 && !is_for_classes(name))
    throw InvalidOption("loss", name, "the target holds classes; use logistic or softmax, or leave it out");
  if (classes == 0 && is_for_classes(name))
    throw InvalidOption("loss", name,
                        "the target holds numbers; use " + option_text("task", "classification"));
  if (name == "logistic" && classes != 2)
    throw InvalidOption("loss", name,
                        fmt::format("it is for two classes, and the target has {}; use softmax", classes));
  options.classes = classes;
  LossChoice choice{std::string(name), std::move(options)};
  static_cast<void>(choice.make());
  return choice;
}

PreprocessOptions preprocessing_for(std::string_view loss, PreprocessOptions options) {
  if (loss.empty()) return options;
  const Task task = is_for_classes(loss) ? Task::classification : Task::regression;
  if (options.task == Task::automatic) options.task = task;
  if (options.task != task)
    throw InvalidOption(
        "loss", loss,
        task == Task::regression
            ? "it is for numbers; use logistic or softmax for a classification"
            : "it is for classes; leave it out, or use " + option_text("task", "classification"));
  if (loss == "poisson") options.target_scale = Scaling::none;
  return options;
}

}  // namespace strata
