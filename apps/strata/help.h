#pragma once

#include <string>

#include "command.h"

namespace app {

std::string overview();                         // strata --help
std::string usage(const Command& command);      // usage: strata predict [OPTIONS] MODEL DATA
std::string help_text(const Command& command);  // strata predict --help: examples, usage, options
std::string man_page();                         // troff, all commands

}  // namespace app
