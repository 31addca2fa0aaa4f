// strata methods: what there is, and the options of each.
#include <fmt/format.h>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "strata/trainers/method_options.h"
#include "strata/trainers/presets.h"

namespace app {

namespace {

void write_all(std::ostream& out) {
  for (const strata::MethodInfo& method : strata::methods())
    out << fmt::format("{:<10} {:<64} {}\n", method.name, method.summary, method.source);
}

void write_one(std::ostream& out, const std::string& name) {
  const strata::MethodInfo& method = strata::method(name);
  out << fmt::format("{}: {} ({})\n", name, method.summary, method.source);
  for (const strata::OptionInfo& option : strata::options_of(name))
    out << fmt::format("  --{:<22} {}; {} ({})\n", option.name, option.help, option.accepts,
                       option.default_value);
}

int run_methods(const Settings& settings) {
  Output out;
  if (settings.has("NAME"))
    write_one(out.stream(), settings.text("NAME"));
  else
    write_all(out.stream());
  out.commit();
  return done;
}

}  // namespace

Command methods_command() {
  return {.name = "methods",
          .summary = "List the training methods and where each comes from, or the options of one",
          .examples = "strata methods\nstrata methods adam",
          .arguments = {{"NAME", "a method: its options and their defaults", false}},
          .options = {},
          .run = run_methods};
}

}  // namespace app
