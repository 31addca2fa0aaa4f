#include "model/fit_record.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;
using Sets = std::vector<std::pair<std::string, const Metrics*>>;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  if (values.size() == 1) return number(values.front());
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Sets sets_of(const FitResult& result) {
  return {{"train", &result.train},
          {"validation", result.validation ? &*result.validation : nullptr},
          {"test", result.test ? &*result.test : nullptr}};
}

Json per_set(const Sets& sets, std::vector<double> Metrics::*error) {
  Json object = Json::object();
  for (const auto& [name, metrics] : sets)
    if (metrics != nullptr) object[name] = numbers(metrics->*error);
  return object;
}

Json rows(const Sets& sets) {
  Json object = Json::object();
  for (const auto& [name, metrics] : sets)
    if (metrics != nullptr) object[name] = metrics->rows;
  return object;
}

}  // namespace

std::string fit_record(const FitResult& result, const FitOptions& options) {
  const TrainingResult& training = result.training;
  const Network& network = result.model.network;
  const Sets sets = sets_of(result);
  Json record{{"method", options.method},
              {"method_options", options.method_options},
              {"network", network.architecture().brief()},
              {"n", network.size()},
              {"l2", result.l2},
              {"seed", options.seed},
              {"targets", result.model.preprocessor.target_names()},
              {"rows", rows(sets)},
              {"objective", number(training.value)}};
  for (const auto& [name, metrics] : sets)
    record[name + "_mse"] = metrics != nullptr ? number(metrics->mse) : Json(nullptr);
  record["rmse"] = per_set(sets, &Metrics::rmse);
  record["mae"] = per_set(sets, &Metrics::mae);
  record["r2"] = per_set(sets, &Metrics::r2);
  record["gradient_norm"] = number(training.gradient_norm);
  record["seconds"] = training.seconds;
  record["elapsed_seconds"] = training.elapsed_seconds;
  record["work"] = {{"forward", training.work.forward},
                    {"backward", training.work.backward},
                    {"weight_gradient", training.work.weight_gradient},
                    {"evaluations", training.work.evaluations}};
  if (training.processes > 1) {
    record["processes"] = training.processes;
    record["traffic"] = {{"messages", training.traffic.messages}, {"bytes", training.traffic.bytes}};
  }
  record["sweeps"] = training.sweeps;
  record["best_sweep"] = training.best_sweep;
  record["reason"] = to_string(training.reason);
  record["updates_per_layer"] = training.updates_per_layer;
  return record.dump();
}

}  // namespace strata
