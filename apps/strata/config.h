#pragma once

#include <string>

#include "command.h"

namespace app {

// The options of a command from a TOML file, by the names of the command line. Refuses (strata::DataError, with the
// line) what is no TOML, a key the command does not have, and values that are neither text, number, switch nor a list.
Settings read_config(const std::string& file, const Command& command);

}  // namespace app
