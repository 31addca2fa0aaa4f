#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace strata {

// Options are declared once. A struct lists its fields with bound and help; its defaults are the initialisers:
//
//   struct AdagradOptions {
//     double rate = 1e-2;
//     double epsilon = 1e-10;
//
//     static constexpr std::string_view kind = "adagrad";
//     void fields(auto& list) {
//       list("rate", rate, positive, "step size", "rate");  // last: its name as an option of a method
//       list("epsilon", epsilon, positive, "added to the root of the summed squares");
//     }
//   };
//
// The check and its sentence, the entry in a checkpoint, the option on the command line and the Python keyword all come
// from that list. A bound may depend on other fields. A struct inside another lists its fields among the others'. What is
// no number, list or enumeration but has a text of its own is a TextOption.

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// The values that a number, or each of a list of numbers, may have. NaN never is one of them, infinity only where a bound
// includes it.
struct Bound {
  double least = -infinity;
  double most = infinity;
  bool above = true;  // least itself is not allowed
  bool below = true;  // most itself is not allowed
  double off =
      std::numeric_limits<double>::quiet_NaN();  // allowed besides: what is switched off; "off" in texts
  bool is_limit = false;                         // when a run ends: a run that is continued may have another
  bool is_time = false;                          // seconds; 90s, 1.5m and 2h in texts
  bool may_be_empty = false;                     // a list or a name; a list of numbers is "none" then
  std::string (*names)() = nullptr;              // of a text: what it may be, for those who ask

  [[nodiscard]] constexpr Bound at_most(double value) const { return with(value, false); }
  [[nodiscard]] constexpr Bound smaller_than(double value) const { return with(value, true); }
  [[nodiscard]] constexpr Bound off_at(double value) const {
    Bound bound = *this;
    bound.off = value;
    return bound;
  }
  [[nodiscard]] constexpr Bound as_limit() const {
    Bound bound = *this;
    bound.is_limit = true;
    return bound;
  }
  [[nodiscard]] constexpr Bound as_time() const {
    Bound bound = *this;
    bound.is_time = true;
    return bound;
  }
  [[nodiscard]] constexpr Bound or_empty() const {
    Bound bound = *this;
    bound.may_be_empty = true;
    return bound;
  }

  [[nodiscard]] constexpr bool allows(double value) const {
    return value == off ||
           ((above ? value > least : value >= least) && (below ? value < most : value <= most));
  }

 private:
  [[nodiscard]] constexpr Bound with(double value, bool exclusive) const {
    Bound bound = *this;
    bound.most = value;
    bound.below = exclusive;
    return bound;
  }
};

inline constexpr Bound any_number{};
constexpr Bound larger_than(double value) { return {.least = value}; }
constexpr Bound at_least(double value) { return {.least = value, .above = false}; }
inline constexpr Bound positive = larger_than(0);
inline constexpr Bound not_negative = at_least(0);
inline constexpr Bound may_be_empty{.may_be_empty = true};

// Enumerators have names, in their order: constexpr std::array names_of(LayerOrder) { return ...; }
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) {
  names_of(value).size();
};

template <NamedEnum E>
std::string_view name_of(E value) {
  static constexpr auto names = names_of(E{});
  return names[static_cast<std::size_t>(value)];
}

template <NamedEnum E>
bool read_name(std::string_view text, E& value) {
  static constexpr auto names = names_of(E{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != text) continue;
    value = static_cast<E>(i);
    return true;
  }
  return false;
}

std::string one_of(const std::vector<std::string_view>& names);  // "a, b or c"
template <NamedEnum E>
std::string one_of() {
  static constexpr auto names = names_of(E{});
  return one_of({names.begin(), names.end()});
}

// "option 'owner.field' = 'value': use ..."; without an owner, the field alone.
[[noreturn]] void refuse_value(std::string_view owner, std::string_view field, std::string_view value,
                               const std::string& accepted);

// The enumerator of that name; any other is refused (InvalidOption) as a value of the option.
template <NamedEnum E>
E from_name(std::string_view option, std::string_view name) {
  E value{};
  if (!read_name(name, value)) refuse_value("", option, name, one_of<E>());
  return value;
}

struct Field {
  std::string_view name = {};
  Bound bound = {};  // of a number
  std::string_view help = {};
  std::string_view option = {};  // its name as an option of a method; empty: it is none
  std::string_view group = {};   // of options that are shown together
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_names = false;  // a list of enumerators
template <NamedEnum E>
inline constexpr bool is_names<std::vector<E>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// An option with a text of its own: T::accepts says which there are, T::placeholder what stands for one in a line of help, text()
// gives it, read(text) takes it and is false where it says nothing, is_allowed() is the check.
template <class T>
concept TextOption = requires(T value, std::string_view text) {
  T::accepts;
  T::placeholder;
  value.text();
  value.read(text);
  value.is_allowed();
};

// A value as text. The shortest text that gives the same number back; "off" and "on"; an enumerator's name; "" for none.
std::string text_of(const Field& field, double value);
std::string text_of(const Field& field, bool value);
inline std::string text_of(const Field& /*field*/, const std::string& value) { return value; }
template <std::integral T>
std::string text_of(const Field& field, T value) {
  return static_cast<double>(value) == field.bound.off ? "off" : std::to_string(value);
}
template <NamedEnum E>
std::string text_of(const Field& /*field*/, E value) {
  return std::string(name_of(value));
}
template <TextOption T>
std::string text_of(const Field& /*field*/, const T& value) {
  return value.text();
}
template <class T>
std::string text_of(const Field& field, const std::optional<T>& value) {
  return value ? text_of(field, *value) : "";
}
void append_item(std::string& list, std::string_view separator, std::string_view item);
template <class T>
std::string text_of(const Field& field, const std::vector<T>& values) {
  if (std::is_arithmetic_v<T> && values.empty() && field.bound.may_be_empty) return "none";
  std::string text;
  for (const T& value : values) append_item(text, ",", text_of(field, value));
  return text;
}

// The value that a text says; false, and nothing changed, where it says none. Whether it is allowed is another question.
bool read_text(const Field& field, std::string_view text, double& value);
bool read_text(const Field& field, std::string_view text, bool& value);
bool read_text(const Field& field, std::string_view text, std::int64_t& value);
bool read_text(const Field& field, std::string_view text, std::uint64_t& value);
bool read_text(const Field& field, std::string_view text, std::string& value);
template <std::integral T>
bool read_text(const Field& field, std::string_view text, T& value) {
  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t> whole = 0;
  if (!read_text(field, text, whole) || !std::in_range<T>(whole)) return false;
  value = static_cast<T>(whole);
  return true;
}
template <NamedEnum E>
bool read_text(const Field& /*field*/, std::string_view text, E& value) {
  return read_name(text, value);
}
template <TextOption T>
bool read_text(const Field& /*field*/, std::string_view text, T& value) {
  return value.read(text);
}
template <class T>
bool read_text(const Field& field, std::string_view text, std::optional<T>& value) {
  T read{};
  if (!read_text(field, text, read)) return false;
  value = std::move(read);
  return true;
}
template <class T>
bool read_text(const Field& /*field*/, std::string_view /*text*/, T& /*value*/) {
  return false;  // other lists are not given as one text
}

// Whether a value has several texts: a list, or a TextOption that says so.
template <class T>
inline constexpr bool has_items = is_vector<T> || requires {
  T::has_items;
};

// The value that several texts say: the items of a list, or what is given last. The first text that says none is returned, and
// nothing changed.
template <class T>
std::optional<std::string> read_texts(const Field& field, const std::vector<std::string>& texts, T& value) {
  if constexpr (!has_items<T>) {
    const std::string text = texts.empty() ? "" : texts.back();
    return read_text(field, text, value) ? std::nullopt : std::optional(text);
  } else {
    T read{};
    for (const std::string& text : texts) {
      if constexpr (is_vector<T>) {
        const bool numbers = std::is_arithmetic_v<typename T::value_type>;
        if (numbers && texts.size() == 1 && field.bound.may_be_empty && text == "none") break;
        if (!read_text(field, text, read.emplace_back())) return text;
      } else if (!read_text(field, text, read)) {
        return text;
      }
    }
    value = std::move(read);
    return {};
  }
}

// What a field takes: "a number above 0, at most 1", "a whole number of at least 1, or off", "on or off".
std::string accepted_number(const Bound& bound, std::string_view noun);
template <class T>
std::string accepted(const Field& field, const T& /*value*/) {
  [[maybe_unused]] const bool empty = field.bound.may_be_empty;
  if constexpr (is_optional<T>) {
    return accepted(field, typename T::value_type{});
  } else if constexpr (std::is_same_v<T, bool>) {
    return "on or off";
  } else if constexpr (NamedEnum<T>) {
    return one_of<T>();
  } else if constexpr (std::integral<T>) {
    return accepted_number(field.bound, "a whole number");
  } else if constexpr (std::floating_point<T>) {
    return accepted_number(field.bound, "a number");
  } else if constexpr (std::is_same_v<T, std::vector<std::size_t>>) {
    return accepted_number(field.bound, empty ? "whole numbers" : "one or more whole numbers");
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return accepted_number(field.bound, empty ? "numbers" : "one or more numbers");
  } else if constexpr (is_names<T>) {
    return "one or more of " + one_of<typename T::value_type>();
  } else if constexpr (TextOption<T>) {
    return std::string(T::accepts);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return field.bound.names != nullptr ? field.bound.names() : "a name";
  } else {
    return "a list of one or more";
  }
}

template <class T>
bool allowed(const Field& field, const T& value) {
  if constexpr (is_optional<T>) {
    return !value || allowed(field, *value);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    return field.bound.allows(static_cast<double>(value));
  } else if constexpr (TextOption<T>) {
    return value.is_allowed();
  } else if constexpr (is_vector<T> || std::is_same_v<T, std::string>) {
    if (value.empty()) return field.bound.may_be_empty;
    if constexpr (is_vector<T>)
      for (const auto& item : value)
        if (!allowed(field, item)) return false;
    return true;
  } else {
    return true;
  }
}

// What stands for a value in a line of help: N, X, KIND, NAME; N,... of a list.
template <class T>
std::string placeholder(const Field& field, const T& /*value*/) {
  if constexpr (is_optional<T>) return placeholder(field, typename T::value_type{});
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "NAMES";
  if constexpr (is_vector<T>) return placeholder(field, typename T::value_type{}) + ",...";
  if constexpr (TextOption<T>) return std::string(T::placeholder);
  if constexpr (std::is_same_v<T, bool>) return "on|off";
  if constexpr (std::is_floating_point_v<T>) return field.bound.is_time ? "TIME" : "X";
  return std::is_integral_v<T> ? "N" : NamedEnum<T> ? "KIND" : "NAME";
}

// A field as an option that programs show.
struct OptionInfo {
  std::string name;           // "cg-iterations"
  std::string accepts;        // "a number above 0", "backward, forward or random"
  std::string default_value;  // as text; "": none
  std::string help;           // one line
  std::string placeholder;    // what stands for its value
  std::string group;
  bool is_switch;  // on or off, and on where it is only named
  bool has_items;  // its value is a list, with commas
};

template <class T>
OptionInfo option_info(const Field& field, const T& value) {
  return {std::string(field.option.empty() ? field.name : field.option),
          accepted(field, value),
          text_of(field, value),
          std::string(field.help),
          placeholder(field, value),
          std::string(field.group),
          std::is_same_v<T, bool>,
          has_items<T>};
}

// What `fields` is called with: hands every field with its value to a function.
template <class Act>
struct FieldList {
  Act& act;
  std::string_view group = {};  // of the fields that follow
  template <class T>
  void operator()(std::string_view name, T& value, const Bound& bound, std::string_view help,
                  std::string_view option = {}) const {
    act(Field{name, bound, help, option, group}, value);
  }
  template <class T>
  void operator()(std::string_view name, T& value, std::string_view help,
                  std::string_view option = {}) const {
    act(Field{name, {}, help, option, group}, value);
  }
};

template <class T>
concept Variant = requires(const T& options) {
  options.valueless_by_exception();
};
template <class T>
concept Kinded = Variant<T> || requires {
  T::kind;
};  // has the name of its kind

// act(field, value) for every field of the options, or of the kind that a variant holds.
template <class Options, class Act>
void for_each_field(Options& options, Act&& act) {
  if constexpr (std::is_const_v<Options>) {
    auto copy = options;
    for_each_field(copy, act);
  } else if constexpr (Variant<Options>) {
    std::visit([&act](auto& kind) { for_each_field(kind, act); }, options);
  } else {
    FieldList<std::remove_reference_t<Act>> list{act};
    if constexpr (requires { options.fields(list); }) options.fields(list);
  }
}

// "adam"; "none" for a variant that holds nothing.
template <class Options>
std::string_view kind_of(const Options& options) {
  if constexpr (Variant<Options>) {
    return std::visit([](const auto& kind) { return kind_of(kind); }, options);
  } else if constexpr (std::is_same_v<Options, std::monostate>) {
    return "none";
  } else {
    return Options::kind;
  }
}

// "adagrad(rate=0.01, epsilon=1e-10)"
template <class Options>
std::string description(const Options& options) {
  std::string text;
  for_each_field(options, [&text](const Field& field, const auto& value) {
    append_item(text, ", ", std::string(field.name).append("=").append(text_of(field, value)));
  });
  return std::string(kind_of(options)).append("(").append(text).append(")");
}

// Refuses (InvalidOption) the first field whose value is not allowed: owner.field, the value, what is accepted.
template <class Options>
void check(std::string_view owner, const Options& options) {
  for_each_field(options, [owner](const Field& field, const auto& value) {
    if (!allowed(field, value))
      refuse_value(owner, field.name, text_of(field, value), accepted(field, value));
  });
}
template <Kinded Options>
void check(const Options& options) {
  check(kind_of(options), options);
}

}  // namespace strata
