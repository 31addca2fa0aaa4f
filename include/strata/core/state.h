#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strata/core/random.h"
#include "strata/core/vector.h"

namespace strata {

struct StatePart;

// Named values: what something that computes must remember to go on later, in another process, as if nothing had
// happened. Parts have their own names. Reading a name that is not there, or that has another kind or length, is refused
// (Error) in a sentence that names it.
class State {
 public:
  using Integers = std::vector<std::uint64_t>;
  using Value = std::variant<Vector, Integers, std::string>;

  void put(std::string_view name, std::span<const double> values);
  void put(std::string_view name, double value) { put(name, std::span<const double>(&value, 1)); }
  void put(std::string_view name, std::string_view text) { set(name, std::string(text)); }
  template <std::unsigned_integral T>  // bool too
  void put(std::string_view name, T value) {
    set(name, Integers{static_cast<std::uint64_t>(value)});
  }
  template <std::unsigned_integral T>
  void put(std::string_view name, const std::vector<T>& values) {
    set(name, Integers(values.begin(), values.end()));
  }
  void put(std::string_view name, const RandomStream& stream);

  // A span and a single value have their length; vectors take whatever length was put.
  void get(std::string_view name, std::span<double> values) const;
  void get(std::string_view name, double& value) const { get(name, std::span<double>(&value, 1)); }
  void get(std::string_view name, Vector& values) const { values = numbers(name); }
  void get(std::string_view name, std::string& text) const { text = this->text(name); }
  template <std::unsigned_integral T>
  void get(std::string_view name, T& value) const {
    value = static_cast<T>(integers(name, 1)[0]);
  }
  template <std::unsigned_integral T>
  void get(std::string_view name, std::vector<T>& values) const {
    const Integers& stored = integers(name);
    values.resize(stored.size());
    std::transform(stored.begin(), stored.end(), values.begin(), [](auto v) { return static_cast<T>(v); });
  }
  void get(std::string_view name, RandomStream& stream) const;

  [[nodiscard]] const Vector& numbers(std::string_view name) const;
  [[nodiscard]] const Integers& integers(std::string_view name) const;
  [[nodiscard]] const Integers& integers(std::string_view name, std::size_t count) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;

  State& part(std::string_view name);  // made where it is not there yet
  [[nodiscard]] const State& part(std::string_view name) const;

  // Where it was read from, for messages; empty for a state that comes from no file.
  [[nodiscard]] const std::string& origin() const { return origin_; }
  void set_origin(std::string file) { origin_ = std::move(file); }

  // For files and comparisons.
  [[nodiscard]] const std::map<std::string, Value, std::less<>>& values() const { return values_; }
  [[nodiscard]] const std::vector<StatePart>& parts() const { return parts_; }
  void set(std::string_view name, Value value);

 private:
  template <class T>
  const T& find(std::string_view name, std::string_view kind) const;
  [[nodiscard]] std::string path(std::string_view name) const;

  std::string origin_;
  std::string name_;  // of a part, with those it is in: "updates/0/"
  std::map<std::string, Value, std::less<>> values_;
  std::vector<StatePart> parts_;
  std::map<std::string, std::size_t, std::less<>> places_;  // of the parts, by name
};

struct StatePart {
  std::string name;
  State state;
};

}  // namespace strata
