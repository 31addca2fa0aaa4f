#include "strata/model/fit_options.h"

#include <fmt/format.h>

#include "strata/core/errors.h"
#include "strata/core/option_text.h"
#include "strata/model/effort.h"

namespace strata {

namespace {

constexpr Field any_field{};

}  // namespace

std::string Holdout::text() const {
  if (!file.empty()) return file.string();
  return none() ? "none" : text_of(any_field, fraction);
}

bool Holdout::read(std::string_view text) {
  fraction = 0;
  file.clear();
  if (text != "none" && !read_text(any_field, text, fraction)) file = text;
  return true;
}

std::string L2::text() const {
  return rule == Rule::value ? text_of(any_field, value) : std::string(name_of(rule));
}

bool L2::read(std::string_view text) {
  L2 read;
  if (!read_text(any_field, text, read.value) && (!read_name(text, read.rule) || read.rule == Rule::value))
    return false;
  *this = read;
  return true;
}

std::string ClassWeight::text() const {
  if (rule != Rule::given) return rule == Rule::none ? "none" : "balanced";
  std::string text;
  for (const auto& [label, weight] : weights) append_item(text, ",", fmt::format("{}={}", label, weight));
  return text;
}

bool ClassWeight::read(std::string_view item) {
  if (item == "none" || item == "balanced") {
    rule = item == "none" ? Rule::none : Rule::balanced;
    return weights.empty();
  }
  const std::size_t equals = item.rfind('=');
  double weight = 0;
  if (rule == Rule::balanced || equals == item.npos || !read_text(any_field, item.substr(equals + 1), weight))
    return false;
  rule = Rule::given;
  weights[std::string(item.substr(0, equals))] = weight;
  return true;
}

std::vector<OptionInfo> fit_options() {
  FitOptions plain;
  FitOptions usual;
  use_effort(usual, "default");
  std::vector<OptionInfo> options;
  for_each_field(plain, [&options]<class T>(const Field& field, const T& value) {
    options.push_back(option_info(field, value));
    if (NamedEnum<T> || field.bound.names != nullptr) options.back().help += "; " + options.back().accepts;
  });
  std::size_t next = 0;
  for_each_field(usual, [&](const Field& field, const auto& value) {
    std::string& shown = options[next++].default_value;
    const std::string by_effort = text_of(field, value);
    if (by_effort != shown)
      shown = fmt::format("{} by {}, else {}", by_effort, option_text("effort", "default"), shown);
  });
  return options;
}

void set_option(FitOptions& options, std::string_view name, const std::vector<std::string>& texts,
                std::string_view shown_as) {
  bool found = false;
  for_each_field(options, [&](const Field& field, auto& value) {
    if (field.name != name) return;
    found = true;
    if (const auto text = read_texts(field, texts, value))
      refuse_value("", shown_as, *text, accepted(field, value));
    if (!allowed(field, value)) refuse_value("", shown_as, text_of(field, value), accepted(field, value));
  });
  if (!found) throw InvalidOption(shown_as, texts.empty() ? "" : texts.back(), "there is no such option");
}

void check(const FitOptions& options) {
  for_each_field(options, [](const Field& field, const auto& value) {
    if (!allowed(field, value))
      refuse_value("", option_name(field.name), text_of(field, value), accepted(field, value));
  });
}

}  // namespace strata
