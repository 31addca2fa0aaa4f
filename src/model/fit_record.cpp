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

void write_errors(JsonText& json, const Sets& sets, std::vector<double> Metrics::*error) {
  json.begin_object();
  for (const auto& [name, metrics] : sets)
    if (metrics != nullptr) write(json.name(name), metrics->*error);
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

}  // namespace

std::string fit_record(const FitResult& result, const FitOptions& options) {
  const TrainingResult& training = result.training;
  const Network& network = result.model.network;
  const Sets sets = sets_of(result);
  // Names in another encoding than UTF-8 must not make a model unstorable.
  JsonText record(JsonText::BadUtf8::replace);
  record.begin_object()
      .member("method", options.method)
      .member("method_options", options.method_options)
      .member("network", network.architecture().brief())
      .member("n", network.size())
      .member("l2", result.l2)
      .member("seed", options.seed)
      .member("targets", result.model.preprocessor.target_names());
  write_rows(record.name("rows"), sets);
  record.member("objective", training.value);
  for (const auto& [name, metrics] : sets) {
    record.name(name + "_mse");
    metrics != nullptr ? record.value(metrics->mse) : record.null();
  }
  write_errors(record.name("rmse"), sets, &Metrics::rmse);
  write_errors(record.name("mae"), sets, &Metrics::mae);
  write_errors(record.name("r2"), sets, &Metrics::r2);
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
  return std::move(record.member("sweeps", training.sweeps)
                       .member("best_sweep", training.best_sweep)
                       .member("reason", to_string(training.reason))
                       .member("updates_per_layer", training.updates_per_layer)
                       .end_object()
                       .text());
}

}  // namespace strata
