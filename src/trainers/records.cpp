#include "strata/trainers/records.h"

#include <fmt/core.h>

#include <utility>

#include "core/json_text.h"

namespace strata {

namespace {

void write(JsonText& json, const Work& work) {
  json.begin_object()
      .member("forward", work.forward)
      .member("backward", work.backward)
      .member("weight_gradient", work.weight_gradient)
      .member("evaluations", work.evaluations)
      .end_object();
}

}  // namespace

std::string TrainingResult::brief() const {
  return fmt::format("{} after {} sweep{}, f = {:.3e}, {:.2f} s", to_string(reason), sweeps,
                     sweeps == 1 ? "" : "s", value, seconds);
}

std::string to_json(const StepRecord& r) {
  JsonText json;
  json.begin_object()
      .member("member", r.member)
      .member("sweep", r.sweep)
      .member("batch", r.batch)
      .member("first_layer", r.block.first)
      .member("last_layer", r.block.last);
  if (r.block.is_part()) json.member("first_neuron", r.block.neuron).member("neurons", r.block.neurons);
  json.member("before", r.before)
      .member("after", r.after)
      .member("gradient_norm", r.gradient_norm)
      .member("step_length", r.step_length)
      .member("trial", r.trial)
      .member("trial_length", r.trial_length)
      .member("armijo", r.armijo)
      .member("margin_armijo", r.margin_armijo)
      .member("margin_forcing", r.margin_forcing)
      .member("step_size", r.step_size)
      .member("fallback", r.fallback)
      .member("skipped", r.skipped)
      .member("refused", r.refused)
      .member("reason", to_string(r.reason))
      .member("message", r.message)
      .member("iterations", r.iterations);
  write(json.name("work"), r.work);
  json.member("seconds", r.seconds).end_object();
  return std::move(json.text());
}

std::string to_json(const SweepRecord& r) {
  JsonText json;
  json.begin_object()
      .member("member", r.member)
      .member("sweep", r.sweep)
      .member("mean_loss", r.mean_loss)
      .member("value", r.value)
      .member("gradient_norm", r.gradient_norm)
      .member("validation_loss", r.validation_loss)
      .member("step_size", r.step_size)
      .member("batch_size", r.batch_size)
      .member("refused", r.refused)
      .member("undone", r.undone);
  write(json.name("work"), r.work);
  json.member("seconds", r.seconds).member("elapsed_seconds", r.elapsed_seconds).end_object();
  return std::move(json.text());
}

}  // namespace strata
