#include "settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "strata/core/errors.h"
#include "strata/core/fields.h"

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

// Takes {"name": ["text", ...], ...} and stops at anything else.
class SettingsReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;
  explicit SettingsReader(Values& values) : values_(values) {}
  [[nodiscard]] bool finished() const { return depth_ == 0 && started_; }

  bool start_object(std::size_t /*size*/) override { return depth_++ == 0 && !std::exchange(started_, true); }
  bool end_object() override { return depth_-- == 1; }
  bool key(std::string& name) override {
    const auto [place, is_new] = values_.try_emplace(name);
    list_ = &place->second;
    return is_new;
  }
  bool start_array(std::size_t /*size*/) override { return depth_++ == 1; }
  bool end_array() override { return depth_-- == 2; }
  bool string(std::string& text) override {
    if (depth_ == 2) list_->push_back(text);
    return depth_ == 2;
  }
  bool null() override { return false; }
  bool boolean(bool /*value*/) override { return false; }
  bool number_integer(number_integer_t /*value*/) override { return false; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return false; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return false; }
  bool binary(binary_t& /*value*/) override { return false; }
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                   const nlohmann::json::exception& /*problem*/) override {
    return false;
  }

 private:
  Values& values_;
  std::vector<std::string>* list_ = nullptr;
  int depth_ = 0;  // 1 in the object, 2 in one of its lists
  bool started_ = false;
};

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
  const strata::Field time{.name = name, .bound = strata::positive.as_time()};
  double value = 0;
  if (!read_text(time, text(name), value) || !allowed(time, value))
    strata::refuse_value("", name, text(name), accepted(time, value));
  return value;
}

// Text by text: a tree of them would need memory to be freed, and end the program where there is none.
std::string Settings::to_json() const {
  std::string json;
  for (const auto& [name, values] : values_) {
    json += fmt::format("{}{}:[", json.empty() ? "{" : ",", nlohmann::json(name).dump());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) json += ',';
      json += nlohmann::json(values[i]).dump();
    }
    json += ']';
  }
  return json.empty() ? "{}" : json + '}';
}

Settings Settings::from_json(const std::string& json) {
  Settings settings;
  SettingsReader reader(settings.values_);
  if (!nlohmann::json::sax_parse(json, &reader) || !reader.finished())
    throw strata::Error("settings are an object of lists of texts");
  return settings;
}

}  // namespace app
