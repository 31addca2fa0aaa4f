#include "strata/trainers/method_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "strata/core/errors.h"
#include "strata/core/fields.h"
#include "strata/core/suggestion.h"
#include "strata/trainers/presets.h"

namespace strata {

namespace {

// act(field, value) for every field of the scheme that is an option of the method.
template <class Act>
void for_each_option(const MethodInfo& method, Scheme& scheme, Act act) {
  const auto open = [&method](std::string_view name) {
    return fmt::format(" {} ", method.options).find(fmt::format(" {} ", name)) != std::string::npos;
  };
  scheme.parts([&](std::string_view part_name, auto& part) {
    for_each_field(part, [&](const Field& field, auto& value) {
      if (!field.option.empty() && (open(part_name) || open(field.option))) act(field, value);
    });
  });
}

}  // namespace

std::vector<OptionInfo> options_of(std::string_view name) {
  // A default that depends on the network is shown for two of them.
  constexpr std::size_t shallow = 3;
  constexpr std::size_t deep = 12;
  const MethodInfo& row = method(name);
  Scheme scheme = row.make(shallow);
  Scheme deeper = row.make(deep);
  std::vector<OptionInfo> options;
  for_each_option(row, scheme, [&](const Field& field, const auto& value) {
    options.push_back(option_info(field, value));
  });
  std::size_t next = 0;
  for_each_option(row, deeper, [&](const Field& field, const auto& value) {
    std::string& shown = options[next++].default_value;
    const std::string there = text_of(field, value);
    if (there != shown) shown = fmt::format("{} with {} layers, {} with {}", shown, shallow, there, deep);
  });
  return options;
}

Scheme preset(std::string_view name, std::size_t layers, const MethodOptionValues& values) {
  const MethodInfo& row = method(name);
  Scheme scheme = row.make(layers);
  const auto for_each_given = [&](auto act) {
    for_each_option(row, scheme, [&](const Field& field, auto& value) {
      const auto given = values.find(field.option);
      if (given != values.end() && !act(field, value, given->second))
        throw InvalidOption(field.option, given->second, "use " + accepted(field, value));
    });
  };
  std::vector<std::string> known;
  for_each_option(row, scheme, [&](const Field& field, const auto&) { known.emplace_back(field.option); });
  for (const auto& [option, text] : values)
    if (std::find(known.begin(), known.end(), option) == known.end())
      throw InvalidOption("method", name,
                          fmt::format("has no option '{}'{}", option, suggestion(option, known)));
  // All are read before one is checked: bounds may depend on other fields.
  for_each_given(
      [](const Field& field, auto& value, const std::string& text) { return read_text(field, text, value); });
  for_each_given(
      [](const Field& field, const auto& value, const std::string&) { return allowed(field, value); });
  return scheme;
}

}  // namespace strata
