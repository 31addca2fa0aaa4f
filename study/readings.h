#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/trainers/method_options.h"

namespace strata {

// The paper leaves rules of its methods open. A reading fills them in: options of methods that differ from those of the
// methods' presets. How they were found: docs/reproduce-the-paper.md.
struct Reading {
  std::string_view name;
  std::string_view summary;
  MethodOptionValues (*options)(std::string_view method);
};

const std::vector<Reading>& readings();  // the first is the one that agrees best with the paper's tables
const Reading& reading(std::string_view name);  // throws InvalidOption

// The options of a reading; those that are given have priority.
MethodOptionValues with_reading(const Reading& reading, std::string_view method,
                                const MethodOptionValues& given);

}  // namespace strata
