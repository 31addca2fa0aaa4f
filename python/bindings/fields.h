// Options from their field lists (strata/core/fields.h): classes with the fields as attributes, functions with the fields
// as keyword arguments. A new field needs no line here.
#pragma once

#include <fmt/format.h>

#include <string>

#include "arrays.h"
#include "strata/core/errors.h"
#include "strata/core/fields.h"
#include "strata/network/architecture.h"

namespace bindings {

// Options as programs show them.
inline auto dicts(const std::vector<strata::OptionInfo>& options) {
  nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::str>> all;
  for (const strata::OptionInfo& option : options) {
    nb::dict one;
    one["name"] = option.name;
    one["default"] = option.default_value;
    one["accepts"] = option.accepts;
    one["help"] = option.help;
    all.append(one);
  }
  return all;
}

// The field of that name; nothing happens where there is none of that name and type.
template <class T, class Options, class Act>
void with_field(Options& options, std::string_view name, Act act) {
  strata::for_each_field(options, [&]<class Value>(const strata::Field& field, Value& value) {
    if constexpr (std::is_same_v<Value, T>)
      if (field.name == name) act(value);
  });
}

// Sets attributes of a new object; one that the class does not have is an AttributeError.
inline void assign(nb::handle made, const nb::kwargs& given) {
  nb::inst_mark_ready(made);
  for (const auto& [name, value] : given) nb::setattr(made, name, value);
}

// A struct as a class that takes its fields as keyword arguments and has them as attributes.
template <class Options>
nb::class_<Options> add_options_class(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Options> made(module, name, doc);
  made.def("__init__", [](nb::pointer_and_handle<Options> self, const nb::kwargs& given) {
    new (self.p) Options{};
    assign(self.h, given);
  });
  Options defaults{};
  strata::for_each_field(defaults, [&]<class T>(const strata::Field& field, T&) {
    made.def_prop_rw(
        field.name.data(),
        [name = field.name](Options& self) {
          T found{};
          with_field<T>(self, name, [&found](const T& value) { found = value; });
          return found;
        },
        [name = field.name](Options& self, T given) {
          with_field<T>(self, name, [&given](T& value) { value = given; });
        },
        field.help.data());
  });
  return made;
}

template <strata::NamedEnum E>
void add_enum(nb::module_& module, const char* name) {
  static constexpr auto names = names_of(E{});
  nb::enum_<E> made(module, name);
  for (std::size_t i = 0; i < names.size(); ++i) made.value(names[i].data(), static_cast<E>(i));
}

inline void cast_to(std::vector<strata::Block>& blocks, nb::handle given) {
  for (const auto& [first, last] : nb::cast<std::vector<std::pair<std::size_t, std::size_t>>>(given))
    blocks.push_back({first, last});
}
template <class T>
void cast_to(T& value, nb::handle given) {
  value = nb::cast<T>(given);
}

// A Python object as the value of a field; texts as everywhere else: "backward", "off".
template <class T>
void set_value(const strata::Field& field, T& value, nb::handle given) {
  const strata::InvalidOption refusal(field.name, nb::str(given).c_str(), "use " + accepted(field, value));
  if (nb::isinstance<nb::str>(given)) {
    if (!strata::read_text(field, nb::cast<std::string>(given), value)) throw refusal;
    return;
  }
  try {
    cast_to(value, given);
  } catch (const nb::cast_error&) {
    throw nb::type_error(refusal.what());
  }
}

template <class T>
std::string python_type() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_integral_v<T>) return "int";
  if constexpr (std::is_floating_point_v<T>) return "float";
  if constexpr (std::is_same_v<T, std::vector<std::size_t>>) return "collections.abc.Sequence[int]";
  if constexpr (std::is_same_v<T, std::vector<strata::Block>>)
    return "collections.abc.Sequence[tuple[int, int]]";
  return "str";
}

// "rate: float = 0.001"; a list has no default.
template <class T>
std::string python_parameter(const strata::Field& field, const T& value) {
  std::string text = fmt::format("{}: {}", field.name, python_type<T>());
  if constexpr (std::is_same_v<T, bool>)
    text += value ? " = True" : " = False";
  else if constexpr (std::is_arithmetic_v<T>)
    text += fmt::format(" = {}", value);
  else if constexpr (strata::NamedEnum<T>)
    text += fmt::format(" = '{}'", strata::name_of(value));
  return text;
}

// Options from the arguments of a call, checked.
template <class Kind>
Kind options_from(const nb::args& positional, const nb::kwargs& keywords) {
  Kind options{};
  std::size_t next = 0;
  std::size_t used = 0;
  strata::for_each_field(options, [&](const strata::Field& field, auto& value) {
    const nb::str name(field.name.data(), field.name.size());
    if (keywords.contains(name))
      set_value(field, value, keywords[name]), ++used;
    else if (next < positional.size())
      set_value(field, value, positional[next++]), ++used;
  });
  if (used != positional.size() + keywords.size())
    throw nb::type_error(fmt::format("{}() got an argument that it does not have", Kind::kind).c_str());
  check(options);
  return options;
}

// The function that makes a recipe of this kind: its signature and its text come from the fields.
template <class Recipe, class Kind>
void add_kind(nb::module_& module, const char* recipe, bool keywords_only) {
  std::string parameters;
  std::string help;
  const Kind defaults{};
  strata::for_each_field(defaults, [&](const strata::Field& field, const auto& value) {
    if (parameters.empty() && keywords_only) parameters = "*";
    strata::append_item(parameters, ", ", python_parameter(field, value));
    help += fmt::format("{}: {}; {}\n", field.name, field.help, accepted(field, value));
  });
  const std::string signature = fmt::format("def {}({}) -> {}", Kind::kind, parameters, recipe);
  module.def(
      Kind::kind.data(),
      [keywords_only](const nb::args& positional, const nb::kwargs& keywords) -> Recipe {
        if (keywords_only && positional.size() > 0)
          throw nb::type_error(fmt::format("{}() takes keyword arguments only", Kind::kind).c_str());
        return options_from<Kind>(positional, keywords);
      },
      nb::sig(signature.c_str()), help.c_str());
}

// All kinds of a variant, but for those that are functions in C++.
template <class... Kinds>
void add_kinds(nb::module_& module, const char* recipe, const char* doc, bool keywords_only,
               const std::variant<Kinds...>* /*recipes*/) {
  using Recipe = std::variant<Kinds...>;
  nb::class_<Recipe>(module, recipe, doc).def("__repr__", [](const Recipe& self) {
    return description(self);
  });
  const auto add = [&]<class Kind>(const Kind*) {
    constexpr bool custom = requires(Kind kind) { kind.make = {}; };
    if constexpr (!custom && !std::is_same_v<Kind, std::monostate>)
      add_kind<Recipe, Kind>(module, recipe, keywords_only);
  };
  (add(static_cast<const Kinds*>(nullptr)), ...);
}

}  // namespace bindings
