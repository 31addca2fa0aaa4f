#include "study/files.h"

#include <algorithm>
#include <string>

#include "strata/core/errors.h"

namespace strata {

std::string_view text_of(const EmbeddedFiles& files, std::string_view name) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.first == name; });
  if (found == files.end())
    throw DataError({std::string(name)}, "there is no such file among those inside the program");
  return found->second;
}

}  // namespace strata
