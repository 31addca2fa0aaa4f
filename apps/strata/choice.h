#pragma once

#include <map>
#include <string>

#include "settings.h"
#include "strata/core/errors.h"

namespace app {

// By name, from a table of names: the refusal lists them.
template <class T>
T choice(const Settings& settings, const std::string& name, T otherwise,
         const std::map<std::string, T>& known) {
  if (!settings.has(name)) return otherwise;
  const auto found = known.find(settings.text(name));
  if (found != known.end()) return found->second;
  std::string names;
  for (const auto& [text, value] : known) names += (names.empty() ? "" : ", ") + text;
  throw strata::InvalidOption(name, settings.text(name), "use one of " + names);
}

}  // namespace app
