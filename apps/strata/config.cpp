#include "config.h"

#include <fmt/format.h>

#include "strata/core/toml_text.h"

// The compiled library is in the package too, but a program that starts in milliseconds need not load it.
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(expr) ::strata::require_toml(static_cast<bool>(expr))
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "strata/core/errors.h"
#include "strata/core/suggestion.h"

namespace app {

namespace {

using strata::DataError;

std::string text_of(const toml::node& value, const strata::Location& where, std::string_view key) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* whole = value.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* on = value.as_boolean()) return on->get() ? "on" : "off";
  throw DataError(where, fmt::format("'{}' must be a text, a number, true or false, or a list of them", key));
}

std::vector<std::string> texts_of(const toml::node& value, const strata::Location& where,
                                  std::string_view key) {
  const toml::array* const list = value.as_array();
  if (list == nullptr) return {text_of(value, where, key)};
  std::vector<std::string> texts;
  for (const toml::node& item : *list) texts.push_back(text_of(item, where, key));
  return texts;
}

void require_known(const Command& command, const std::string& key, const strata::Location& where) {
  if (key == "config")
    throw DataError(where, "'config' is not allowed in a configuration file; give one file");
  const bool argument = std::any_of(command.arguments.begin(), command.arguments.end(),
                                    [&](const Argument& known) { return known.name == key; });
  if (argument || command.find(key) != nullptr) return;
  throw DataError(where, fmt::format("strata {} has no option '{}'{}", command.name, key,
                                     strata::suggestion(key, command.option_names())));
}

}  // namespace

Settings read_config(const std::string& file, const Command& command) {
  if (!std::filesystem::is_regular_file(file))
    throw DataError({file}, "there is no such file; --config names a TOML file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw DataError({file}, "the file cannot be opened; check its permissions");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  strata::check_toml_text(text, file);
  Settings settings;
  try {
    const toml::table table = toml::parse(text, file);
    for (const auto& [key, value] : table) {
      const strata::Location where{file, key.source().begin.line};
      const std::string name(key.str());
      require_known(command, name, where);
      settings.set(name, texts_of(value, where, name));
    }
  } catch (const strata::TomlFault& fault) {
    throw DataError({file}, fault.description);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    throw DataError({file, begin.line, begin.column}, fmt::format("not TOML: {}", error.description()));
  }
  return settings;
}

}  // namespace app
