#include "core/json.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "strata/core/errors.h"

namespace strata {

namespace {

using Json = nlohmann::json;

// The destructor of an empty container takes no memory.
void empty(Json& json) noexcept {
  if (!json.is_structured()) return;
  for (Json& child : json) empty(child);
  json.clear();
}

// Builds the tree as the library's parser reads on. The library itself would keep one of two equal names and any depth,
// and its callbacks take time quadratic in the members of an object.
class Builder : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;
  Builder(Json& json, const std::string& file, std::string_view what)
      : Base(json, true), file_(file), what_(what) {}

  bool start_object(std::size_t size) {
    go_deeper();
    names_.emplace_back();
    return Base::start_object(size);
  }
  bool key(std::string& name) {
    if (!names_.back().insert(name).second)
      throw DataError({file_}, fmt::format("{} has the name '{}' twice", what_, name));
    return Base::key(name);
  }
  bool end_object() {
    --depth_;
    names_.pop_back();
    return Base::end_object();
  }
  bool start_array(std::size_t size) {
    go_deeper();
    return Base::start_array(size);
  }
  bool end_array() {
    --depth_;
    return Base::end_array();
  }

 private:
  void go_deeper() {
    constexpr int deepest = 64;
    if (++depth_ > deepest)
      throw DataError({file_}, fmt::format("{} is nested more than {} levels deep", what_, deepest));
  }

  const std::string& file_;
  std::string_view what_;
  int depth_ = 0;
  std::vector<std::set<std::string>> names_;  // of the objects that are open
};

}  // namespace

JsonDocument::~JsonDocument() { empty(root_); }

JsonDocument parse_json(std::string_view text, const std::string& file, std::string_view what) {
  JsonDocument document;
  Builder builder(document.root(), file, what);
  try {
    Json::sax_parse(text, &builder);
  } catch (const Json::parse_error& problem) {
    throw DataError({file},
                    fmt::format("{} is not JSON, from byte {} on; store it again", what, problem.byte));
  } catch (const Json::exception&) {
    throw DataError({file}, fmt::format("{} holds a number that no double can hold", what));
  }
  return document;
}

}  // namespace strata
