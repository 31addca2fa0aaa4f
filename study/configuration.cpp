#include "study/configuration.h"

#include <fmt/format.h>

#include "strata/core/toml_text.h"
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(expr) ::strata::require_toml(static_cast<bool>(expr))
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "strata/core/errors.h"
#include "strata/core/suggestion.h"
#include "study/datasets.h"
#include "study/files.h"
#include "study/record.h"

namespace strata {

namespace {

// A TOML table whose keys are taken one by one; what is left at the end is refused.
class Keys {
 public:
  Keys(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  [[nodiscard]] const toml::node* take(const char* name) {
    taken_.emplace_back(name);
    return table_.get(name);
  }
  [[nodiscard]] const toml::node& need(const char* name) {
    const toml::node* const value = take(name);
    if (value == nullptr) throw DataError({file_}, fmt::format("'{}' is missing", name));
    return *value;
  }
  [[nodiscard]] std::string text(const char* name) { return text(need(name), name); }
  [[nodiscard]] std::string text(const toml::node& value, const char* name) const {
    if (!value.is_string()) refuse(value, name, "must be a text");
    return value.as_string()->get();
  }
  [[nodiscard]] std::vector<std::string> texts(const toml::node& value, const char* name) const {
    if (!value.is_array() || value.as_array()->empty())
      refuse(value, name, "must be a list that is not empty");
    std::vector<std::string> list;
    for (const toml::node& item : *value.as_array()) list.push_back(text(item, name));
    return list;
  }
  [[nodiscard]] double positive(const toml::node& value, const char* name) const {
    const auto number = value.value<double>();
    if (!value.is_number() || !number || !std::isfinite(*number) || *number <= 0)
      refuse(value, name, "must be a number above 0");
    return *number;
  }

  void refuse_the_rest() const {
    for (const auto& [key, value] : table_) {
      const std::string name(key.str());
      if (std::find(taken_.begin(), taken_.end(), name) == taken_.end())
        throw DataError({file_, key.source().begin.line},
                        fmt::format("there is no key '{}'{}", name, suggestion(name, taken_)));
    }
  }
  [[noreturn]] void refuse(const toml::node& value, const char* name, std::string_view why) const {
    throw DataError({file_, value.source().begin.line}, fmt::format("'{}' {}", name, why));
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  const toml::table& table_;
  std::string file_;
  std::vector<std::string> taken_;
};

// Runs a check of the library and gives its refusal the line.
template <class Check>
auto located(const Keys& keys, const toml::node& value, const Check& check) {
  try {
    return check();
  } catch (const InvalidOption& refusal) {
    throw DataError({keys.file(), value.source().begin.line}, refusal.what());
  }
}

std::vector<std::pair<std::string, double>> limits(Keys& keys) {
  constexpr const char* name = "seconds";
  const toml::node& value = keys.need(name);
  if (!value.is_table() || value.as_table()->empty())
    keys.refuse(value, name, "must be a table of methods and their limits: { b2ld = 150, lbfgs = 150 }");
  std::vector<std::pair<std::string, const toml::node*>> given;
  for (const auto& [key, limit] : *value.as_table()) given.emplace_back(key.str(), &limit);
  // The library keeps keys by the alphabet; runs and columns stand as they are written.
  std::ranges::sort(given, {}, [](const auto& entry) {
    const auto& place = entry.second->source().begin;
    return std::pair{place.line, place.column};
  });
  std::vector<std::pair<std::string, double>> seconds;
  for (const auto& entry : given) {
    located(keys, *entry.second, [&] { return options_of(entry.first).size(); });
    seconds.emplace_back(entry.first, keys.positive(*entry.second, name));
  }
  return seconds;
}

MethodOptionValues method_options(Keys& keys) {
  MethodOptionValues values;
  const toml::node* const given = keys.take("options");
  if (given == nullptr) return values;
  if (!given->is_table()) keys.refuse(*given, "options", "must be a table: { epsilon = 1e-2 }");
  for (const auto& [key, value] : *given->as_table()) {
    if (const auto* const text = value.as_string())
      values.emplace(key.str(), text->get());
    else if (const auto* const on = value.as_boolean())
      values.emplace(key.str(), on->get() ? "on" : "off");
    else if (value.is_number())
      values.emplace(key.str(), fmt::format("{}", *value.value<double>()));
    else
      keys.refuse(value, "options", "must have a text, a number, true or false for each option");
  }
  return values;
}

InitialiseOptions initialisation(Keys& keys, InitialiseOptions otherwise) {
  if (const toml::node* const kind = keys.take("init"))
    otherwise.kind = located(keys, *kind, [&] { return initialisation_from(keys.text(*kind, "init")); });
  if (const toml::node* const scale = keys.take("init-scale"))
    otherwise.scale = keys.positive(*scale, "init-scale");
  return otherwise;
}

L2 l2(Keys& keys, L2 otherwise) {
  const toml::node* const value = keys.take("l2");
  if (value == nullptr) return otherwise;
  if (!value->is_string()) return {.rule = L2::Rule::value, .value = keys.positive(*value, "l2")};
  L2 named;
  if (!read_name(value->as_string()->get(), named.rule) ||
      (named.rule != L2::Rule::paper && named.rule != L2::Rule::rho))
    keys.refuse(*value, "l2", "must be paper, rho or a number");
  return named;
}

Scaling scaling(Keys& keys, Scaling otherwise) {
  const toml::node* const value = keys.take("scale");
  if (value == nullptr) return otherwise;
  const std::string name = keys.text(*value, "scale");
  if (name != "minmax" && name != "standard") keys.refuse(*value, "scale", "must be minmax or standard");
  return name == "minmax" ? Scaling::minmax : Scaling::standard;
}

std::optional<double> positive_number(Keys& keys, const char* name) {
  const toml::node* const value = keys.take(name);
  if (value == nullptr) return {};
  return keys.positive(*value, name);
}

std::vector<std::string> all_methods(const Configuration& configuration) {
  std::vector<std::string> all;
  for (const auto& [method, seconds] : configuration.seconds) all.push_back(method);
  return all;
}

std::vector<std::string> variant_methods(Keys& keys, const Configuration& configuration) {
  std::vector<std::string> all = all_methods(configuration);
  const toml::node* const given = keys.take("methods");
  if (given == nullptr) return all;
  std::vector<std::string> methods = keys.texts(*given, "methods");
  for (const std::string& method : methods)
    if (std::find(all.begin(), all.end(), method) == all.end())
      keys.refuse(*given, "methods", fmt::format("names '{}', which has no limit in 'seconds'", method));
  return methods;
}

StudyVariant variant(const toml::table& table, const Configuration& configuration, const std::string& file) {
  Keys keys(table, file);
  StudyVariant made;
  made.name = keys.text("name");
  made.changes = keys.text("changes");
  made.methods = variant_methods(keys, configuration);
  if (const toml::node* const name = keys.take("reading"))
    made.reading = located(keys, *name, [&] { return &reading(keys.text(*name, "reading")); });
  made.method_options = method_options(keys);
  made.init = initialisation(keys, made.init);
  if (const toml::node* const bias = keys.take("bias"))
    made.bias = located(keys, *bias, [&] { return bias_from(keys.text(*bias, "bias")); });
  made.l2 = l2(keys, made.l2);
  made.scaling = scaling(keys, made.scaling);
  made.gradient_norm = positive_number(keys, "gradient-tolerance");
  made.relative_decrease = positive_number(keys, "relative-decrease");
  keys.refuse_the_rest();
  for (const std::string& method : made.methods)
    located(keys, table,
            [&] { return preset(method, 2, with_reading(*made.reading, method, made.method_options)).name; });
  return made;
}

std::vector<StudyVariant> variants(Keys& keys, const Configuration& configuration) {
  const toml::node* const list = keys.take("variant");
  if (list == nullptr) return {{.name = paper_variant, .changes = "", .methods = all_methods(configuration)}};
  if (!list->is_array_of_tables()) keys.refuse(*list, "variant", "must be written as [[variant]]");
  std::vector<StudyVariant> made;
  for (const toml::node& table : *list->as_array())
    made.push_back(variant(*table.as_table(), configuration, keys.file()));
  return made;
}

std::vector<std::string> names(Keys& keys, const char* name, void (*check)(std::string_view)) {
  const toml::node& value = keys.need(name);
  std::vector<std::string> list = keys.texts(value, name);
  for (const std::string& item : list)
    located(keys, value, [&] {
      check(item);
      return true;
    });
  return list;
}

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

Configuration configuration_from(const toml::table& table, const std::string& file) {
  Keys keys(table, file);
  Configuration made{.id = stem(file),
                     .title = keys.text("title"),
                     .datasets = {},
                     .networks = {},
                     .seconds = {},
                     .variants = {}};
  made.datasets = names(keys, "datasets", require_dataset);
  made.networks = names(keys, "networks", [](std::string_view network) { (void)hidden_layers(network); });
  made.seconds = limits(keys);
  if (const toml::node* const runs = keys.take("runs")) {
    const auto count = runs->value<std::int64_t>();
    if (!runs->is_integer() || *count < 1 || *count > static_cast<std::int64_t>(largest_run_count))
      keys.refuse(*runs, "runs", fmt::format("must be a whole number from 1 to {}", largest_run_count));
    made.runs = static_cast<std::size_t>(*count);
  }
  made.variants = variants(keys, made);
  if (const toml::node* const paper = keys.take("paper")) made.paper = keys.text(*paper, "paper");
  if (const toml::node* const tolerance = keys.take("tolerance"))
    made.tolerance = keys.positive(*tolerance, "tolerance");
  keys.refuse_the_rest();
  return made;
}

std::size_t width(std::string_view text, std::string_view network) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::size_t most = 10000;
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > most)
    throw InvalidOption("networks", network, "write 10x50 for ten layers of 50, or the widths: 200-50-200");
  return value;
}

}  // namespace

double Configuration::limit_of(std::string_view method) const {
  const auto found =
      std::find_if(seconds.begin(), seconds.end(), [&](const auto& limit) { return limit.first == method; });
  return found->second;
}

Configuration parse_configuration(std::string_view text, const std::string& file) {
  check_toml_text(text, file);
  try {
    return configuration_from(toml::parse(text, file), file);
  } catch (const TomlFault& fault) {
    throw DataError({file}, fault.description);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    throw DataError({file, begin.line, begin.column}, fmt::format("not TOML: {}", error.description()));
  }
}

Configuration read_configuration(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!std::filesystem::is_regular_file(file) || !in)
    throw DataError({file}, "cannot be read; name a TOML file as those in experiments/");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_configuration(text, file);
}

const std::vector<Configuration>& built_in_configurations() {
  static const std::vector<Configuration> all = [] {
    std::vector<Configuration> made;
    for (const auto& [name, text] : experiment_files())
      if (name.ends_with(".toml")) made.push_back(parse_configuration(text, std::string(name)));
    return made;
  }();
  return all;
}

const Configuration& built_in_configuration(std::string_view id) {
  std::vector<std::string> known;
  for (const Configuration& configuration : built_in_configurations()) {
    if (configuration.id == id || configuration.id == fmt::format("table{}", id)) return configuration;
    known.push_back(configuration.id);
  }
  throw InvalidOption("tables", id, "there is no such table" + suggestion(id, known));
}

std::vector<std::size_t> hidden_layers(std::string_view network) {
  if (const std::size_t cross = network.find('x'); cross != std::string_view::npos)
    return std::vector<std::size_t>(width(network.substr(0, cross), network),
                                    width(network.substr(cross + 1), network));
  std::vector<std::size_t> widths;
  for (std::string_view rest = network;;) {
    const std::size_t dash = rest.find('-');
    widths.push_back(width(rest.substr(0, dash), network));
    if (dash == std::string_view::npos) return widths;
    rest.remove_prefix(dash + 1);
  }
}

}  // namespace strata
