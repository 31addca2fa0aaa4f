#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export/program.h"

namespace strata::exported {

// An enum of categories and its functions.
struct CEnum {
  std::string tag = {};
  std::string missing = {};                   // enumerator of -1
  std::string other = {};                     // of -2: not seen in training; empty for labels
  std::vector<std::string> enumerators = {};  // 0, 1, ...
  std::string from = {};                      // a text or number -> the enum; empty for labels
  std::string text = {};                      // the enum -> its text
};

// Every identifier of the generated header.
struct CNames {
  std::string prefix = {};
  std::vector<std::string> fields = {};   // members of the inputs
  std::vector<CEnum> categories = {};     // of the fields; a default one for a number
  std::vector<std::string> outputs = {};  // regression: members of the outputs
  CEnum label = {};                       // classification
};

CNames c_names(const Program& program, std::string_view name);

std::string c_header(const Program& program, const CNames& names);

}  // namespace strata::exported
