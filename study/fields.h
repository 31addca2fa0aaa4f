#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "strata/core/errors.h"

namespace strata {

// The fields of one object; a refusal names the place and the field.
class Fields {
 public:
  Fields(std::string where, const nlohmann::json& object) : where_(std::move(where)), object_(object) {
    if (!object.is_object()) throw DataError({where_}, "is not a JSON object");
  }

  [[nodiscard]] std::string text(const char* name) const {
    const nlohmann::json& value = find(name);
    if (!value.is_string()) refuse(name, "a text");
    return value.get<std::string>();
  }
  // null stands for a number that was not finite.
  [[nodiscard]] double number(const char* name) const { return number(find(name), name); }
  [[nodiscard]] double number(const nlohmann::json& value, const char* name) const {
    if (value.is_null()) return std::numeric_limits<double>::infinity();
    if (!value.is_number()) refuse(name, "a number");
    return value.get<double>();
  }
  [[nodiscard]] std::uint64_t whole(const char* name) const { return whole(find(name), name); }
  [[nodiscard]] std::uint64_t whole(const nlohmann::json& value, const char* name) const {
    if (!value.is_number_unsigned()) refuse(name, "a whole number");
    return value.get<std::uint64_t>();
  }
  [[nodiscard]] bool yes(const char* name) const {  // no where it is not there
    const auto found = object_.find(name);
    if (found == object_.end()) return false;
    if (!found->is_boolean()) refuse(name, "true or false");
    return found->get<bool>();
  }
  [[nodiscard]] const nlohmann::json& list(const char* name) const {
    const nlohmann::json& value = find(name);
    if (!value.is_array() || value.empty()) refuse(name, "a list that is not empty");
    return value;
  }
  [[nodiscard]] Fields object(const char* name) const {
    const nlohmann::json& value = find(name);
    if (!value.is_object()) refuse(name, "an object");
    return {where_, value};
  }
  [[noreturn]] void refuse(const char* name, std::string_view what) const {
    throw DataError({where_}, fmt::format("the record needs \"{}\", {}", name, what));
  }

 private:
  [[nodiscard]] const nlohmann::json& find(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) refuse(name, "which is not there");
    return *found;
  }

  std::string where_;
  const nlohmann::json& object_;
};

}  // namespace strata
