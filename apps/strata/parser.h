#pragma once

#include "command.h"

namespace app {

// What the command line asks for.
struct Request {
  const Command* command = nullptr;  // none: `message` is all there is to do
  Settings settings = {};
  std::string message = {};  // help or version, for standard output
};

// Throws strata::Error with one sentence for what cannot be understood.
Request parse(int argc, const char* const* argv);

}  // namespace app
