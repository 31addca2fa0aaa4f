#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// What a command was told, by name: its arguments and options, from the command line, a configuration file or a
// checkpoint. Values are text until a command asks for a number; a refusal then names the option, the value and what is
// accepted (strata::InvalidOption).
class Settings {
 public:
  void set(const std::string& name, std::vector<std::string> values) { values_[name] = std::move(values); }
  void remove(const std::string& name) { values_.erase(name); }
  void add_missing(const Settings& other);  // what is there wins

  [[nodiscard]] bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  [[nodiscard]] bool on(std::string_view name) const;  // a switch; off when it is not there
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = "") const;
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;  // "a,b" and repeated options
  [[nodiscard]] std::optional<double> number(std::string_view name) const;   // finite, at least 0
  [[nodiscard]] std::optional<std::uint64_t> whole(std::string_view name) const;
  [[nodiscard]] std::optional<double> seconds(std::string_view name) const;  // 90, 90s, 1.5m, 2h

  [[nodiscard]] std::string to_json() const;
  static Settings from_json(const std::string& json);

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// --threads, 0 (one per core) when it is not given.
std::size_t threads(const Settings& settings);

// The number a text is, all of it; nothing for any other text.
std::optional<double> as_number(std::string_view text);

}  // namespace app
