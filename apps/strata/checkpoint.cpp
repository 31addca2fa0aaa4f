#include "checkpoint.h"

#include <exception>

#include "strata/core/errors.h"
#include "strata/core/state_file.h"
#include "strata/core/tensor_file.h"

namespace app {

namespace {

constexpr auto settings_key = "strata.settings";
constexpr auto state_name = "run";

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const Settings& settings,
                     const strata::State& state) {
  strata::TensorFile contents;
  contents.metadata[settings_key] = settings.to_json();
  put_state(contents, state_name, state);
  write_tensor_file(file, contents);
}

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  const strata::TensorFile contents = strata::read_tensor_file(file);
  if (!contents.metadata.contains(settings_key))
    throw strata::DataError({file.string()},
                            "this is not a checkpoint; --resume needs a file written by --checkpoint");
  Checkpoint checkpoint{.settings = {}, .state = strata::get_state(contents, state_name)};
  try {
    checkpoint.settings = Settings::from_json(contents.text(settings_key));
  } catch (const std::exception&) {
    throw strata::DataError({file.string()},
                            "the settings of the run are damaged; resume from another checkpoint");
  }
  // A file that somebody else made must not say which files are overwritten here.
  for (const char* const output : {"model", "checkpoint", "trace", "history"})
    checkpoint.settings.remove(output);
  return checkpoint;
}

}  // namespace app
