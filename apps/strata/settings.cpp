#include "settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "strata/core/errors.h"

namespace app {

using strata::InvalidOption;

namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

double unit_in_seconds(char unit) {
  if (unit == 'h') return 3600;
  return unit == 'm' ? 60 : 1;
}

}  // namespace

std::size_t threads(const Settings& settings) {
  constexpr std::uint64_t most = 1024;
  const std::uint64_t count = settings.whole("threads").value_or(0);
  if (count > most)
    throw InvalidOption("threads", settings.text("threads"), "use at most 1024, or 0 for one per core");
  return count;
}

std::optional<double> as_number(std::string_view text) { return parsed<double>(text); }

void Settings::add_missing(const Settings& other) {
  values_.insert(other.values_.begin(), other.values_.end());
}

bool Settings::on(std::string_view name) const {
  const std::string value = text(name, "off");
  if (value == "on" || value == "true" || value == "1") return true;
  if (value == "off" || value == "false" || value == "0") return false;
  throw InvalidOption(name, value, "use on or off");
}

std::string Settings::text(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Settings::list(std::string_view name) const {
  std::vector<std::string> items;
  const auto found = values_.find(name);
  if (found == values_.end()) return items;
  for (const std::string& value : found->second)
    for (std::size_t start = 0; start <= value.size();) {
      const std::size_t end = std::min(value.find(',', start), value.size());
      if (end > start) items.push_back(value.substr(start, end - start));
      start = end + 1;
    }
  return items;
}

std::optional<double> Settings::number(std::string_view name) const {
  if (!has(name)) return {};
  const auto value = parsed<double>(text(name));
  if (!value || !std::isfinite(*value) || *value < 0)
    throw InvalidOption(name, text(name), "use a number of at least 0");
  return value;
}

std::optional<std::uint64_t> Settings::whole(std::string_view name) const {
  if (!has(name)) return {};
  const auto value = parsed<std::uint64_t>(text(name));
  if (!value) throw InvalidOption(name, text(name), "use a whole number of at least 0");
  return value;
}

std::optional<double> Settings::seconds(std::string_view name) const {
  if (!has(name)) return {};
  std::string value = text(name);
  double unit = 1;
  if (!value.empty() && std::string_view("smh").find(value.back()) != std::string_view::npos) {
    unit = unit_in_seconds(value.back());
    value.pop_back();
  }
  const auto count = parsed<double>(value);
  if (!count || !std::isfinite(*count) || *count <= 0)
    throw InvalidOption(name, text(name), "use a time above 0 such as 90, 90s, 1.5m or 2h");
  return *count * unit;
}

std::string Settings::to_json() const { return nlohmann::json(values_).dump(); }

Settings Settings::from_json(const std::string& json) {
  Settings settings;
  nlohmann::json::parse(json).get_to(settings.values_);
  return settings;
}

}  // namespace app
