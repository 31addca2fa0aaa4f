#include "strata/trainers/records.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_object(const Work& work) {
  return {{"forward", work.forward},
          {"backward", work.backward},
          {"weight_gradient", work.weight_gradient},
          {"evaluations", work.evaluations}};
}

}  // namespace

std::string TrainingResult::brief() const {
  return fmt::format("{} after {} sweep{}, f = {:.3e}, {:.2f} s", to_string(reason), sweeps,
                     sweeps == 1 ? "" : "s", value, seconds);
}

std::string to_json(const StepRecord& r) {
  return Json{{"sweep", r.sweep},
              {"batch", r.batch},
              {"first_layer", r.block.first},
              {"last_layer", r.block.last},
              {"before", number(r.before)},
              {"after", number(r.after)},
              {"gradient_norm", number(r.gradient_norm)},
              {"step_length", number(r.step_length)},
              {"trial", number(r.trial)},
              {"trial_length", number(r.trial_length)},
              {"armijo", number(r.armijo)},
              {"margin_armijo", number(r.margin_armijo)},
              {"margin_forcing", number(r.margin_forcing)},
              {"step_size", number(r.step_size)},
              {"fallback", r.fallback},
              {"skipped", r.skipped},
              {"refused", r.refused},
              {"reason", to_string(r.reason)},
              {"message", r.message},
              {"iterations", r.iterations},
              {"work", to_object(r.work)},
              {"seconds", r.seconds}}
      .dump();
}

std::string to_json(const SweepRecord& r) {
  return Json{{"sweep", r.sweep},
              {"mean_loss", number(r.mean_loss)},
              {"value", number(r.value)},
              {"gradient_norm", number(r.gradient_norm)},
              {"validation_loss", number(r.validation_loss)},
              {"step_size", number(r.step_size)},
              {"batch_size", r.batch_size},
              {"refused", r.refused},
              {"undone", r.undone},
              {"work", to_object(r.work)},
              {"seconds", r.seconds},
              {"elapsed_seconds", r.elapsed_seconds}}
      .dump();
}

}  // namespace strata
