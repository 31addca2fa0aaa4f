#include "model/fit_record.h"

#include <utility>

#include "core/json_text.h"

namespace strata {

namespace {

using Sets = std::vector<std::pair<std::string, const Metrics*>>;

Sets sets_of(const FitResult& result) {
  return {{"train", &result.train},
          {"validation", result.validation ? &*result.validation : nullptr},
          {"test", result.test ? &*result.test : nullptr}};
}

// One target: its number, not a list of one.
void write(JsonText& json, const std::vector<double>& values) {
  if (values.size() == 1)
    json.value(values.front());
  else
    json.value(values);
}

// Each figure, and its value for each set that has it.
void write_figures(JsonText& json, const Sets& sets) {
  for (const Figure& wanted : figures(*sets.front().second)) {
    json.name(wanted.name).begin_object();
    for (const auto& [name, metrics] : sets)
      if (metrics != nullptr)
        for (const Figure& figure : figures(*metrics))
          if (figure.name == wanted.name) write(json.name(name), figure.values);
    json.end_object();
  }
}

void write_losses(JsonText& json, const Sets& sets, const std::string& ending, double Metrics::*loss) {
  for (const auto& [name, metrics] : sets) {
    json.name(name + ending);
    metrics != nullptr ? json.value(metrics->*loss) : json.null();
  }
}

void write_classes(JsonText& json, const FitResult& result, const Sets& sets) {
  json.member("classes", result.model.preprocessor.classes()).member("temperature", result.model.temperature);
  if (result.calibration)
    json.name("calibration")
        .begin_object()
        .member("set", result.calibration->set)
        .member("error_before", result.calibration->error_before)
        .member("error_after", result.calibration->error_after)
        .end_object();
  json.name("confusion").begin_object();
  for (const auto& [name, metrics] : sets)
    if (metrics != nullptr) json.member(name, metrics->classes->confusion_rows());
  json.end_object();
}

void write_rows(JsonText& json, const Sets& sets) {
  json.begin_object();
  for (const auto& [name, metrics] : sets)
    if (metrics != nullptr) json.member(name, metrics->rows);
  json.end_object();
}

void write(JsonText& json, const Work& work) {
  json.begin_object()
      .member("forward", work.forward)
      .member("backward", work.backward)
      .member("weight_gradient", work.weight_gradient)
      .member("evaluations", work.evaluations)
      .end_object();
}

void write_members(JsonText& json, const std::vector<TrainingResult>& members) {
  json.begin_list();
  for (const TrainingResult& member : members)
    json.begin_object()
        .member("objective", member.value)
        .member("validation_loss", member.validation_loss)
        .member("sweeps", member.sweeps)
        .member("best_sweep", member.best_sweep)
        .member("reason", to_string(member.reason))
        .end_object();
  json.end_list();
}

}  // namespace

std::string fit_record(const FitResult& result, const FitOptions& options) {
  const TrainingResult& training = result.training;
  const Network& network = result.model.networks.front();
  const Sets sets = sets_of(result);
  // Names in another encoding than UTF-8 must not make a model unstorable.
  JsonText record(JsonText::BadUtf8::replace);
  const bool classes = result.train.classes.has_value();
  record.begin_object()
      .member("task", classes ? "classification" : "regression")
      .member("loss", result.model.loss.make()->text())
      .member("method", options.method)
      .member("method_options", options.method_options)
      .member("network", network.architecture().brief())
      .member("members", result.model.networks.size())
      .member("trained_members", result.trained_members)
      .member("n", network.size())
      .member("l2", result.l2)
      .member("seed", options.seed)
      .member("targets", result.model.preprocessor.target_names());
  write_rows(record.name("rows"), sets);
  record.member("objective", training.value);
  write_losses(record, sets, "_loss", &Metrics::loss);
  if (!classes) write_losses(record, sets, "_mse", &Metrics::mse);
  write_figures(record, sets);
  if (classes) write_classes(record, result, sets);
  record.member("gradient_norm", training.gradient_norm)
      .member("seconds", training.seconds)
      .member("elapsed_seconds", training.elapsed_seconds);
  write(record.name("work"), training.work);
  if (training.processes > 1) {
    record.member("processes", training.processes);
    record.name("traffic")
        .begin_object()
        .member("messages", training.traffic.messages)
        .member("bytes", training.traffic.bytes)
        .end_object();
  }
  if (result.members.size() > 1) write_members(record.name("of_members"), result.members);
  return std::move(record.member("sweeps", training.sweeps)
                       .member("best_sweep", training.best_sweep)
                       .member("reason", to_string(training.reason))
                       .member("updates_per_layer", training.updates_per_layer)
                       .end_object()
                       .text());
}

}  // namespace strata
