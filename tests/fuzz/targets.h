#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strata::fuzz {

// What is done with bytes that may be anything. A refusal (strata::Error) must be one line that names the file; what is
// accepted must work. Anything else ends the program.
using Target = void (*)(std::string_view bytes);
const std::map<std::string, Target>& targets();

// Small files to start from: right ones, and those that found faults.
std::vector<std::string> seeds(const std::string& target);

}  // namespace strata::fuzz
