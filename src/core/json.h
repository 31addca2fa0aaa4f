#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace strata {

// A parsed text. The library's own destructor takes memory to free memory, and ends the program where there is none
// left; this owner empties the tree from its leaves first.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(JsonDocument&& other) noexcept = default;
  JsonDocument& operator=(JsonDocument&&) = delete;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument();

  nlohmann::json& root() { return root_; }
  [[nodiscard]] const nlohmann::json& root() const { return root_; }

 private:
  nlohmann::json root_;
};

// Parses JSON out of a file that may be damaged or hostile, in time linear in its length. Refuses, by a DataError that
// names the file and what of it was parsed: text that is no JSON, a name used twice in an object, and nesting so deep
// that recursion would end badly.
JsonDocument parse_json(std::string_view text, const std::string& file, std::string_view what);

}  // namespace strata
