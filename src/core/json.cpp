#include "core/json.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "strata/core/errors.h"

namespace strata {

namespace {

using Json = nlohmann::json;

// Sees every event of the parser; the library itself would keep one of two equal names and any depth.
class Watch {
 public:
  Watch(const std::string& file, std::string_view what) : file_(file), what_(what) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    constexpr int deepest = 64;
    if (depth > deepest)
      throw DataError({file_}, fmt::format("{} is nested more than {} levels deep", what_, deepest));
    if (event == Json::parse_event_t::object_start) names_.emplace_back();
    if (event == Json::parse_event_t::object_end) names_.pop_back();
    if (event == Json::parse_event_t::key && !names_.back().insert(parsed.get<std::string>()).second)
      throw DataError({file_}, fmt::format("{} has the name '{}' twice", what_, parsed.get<std::string>()));
    return true;
  }

 private:
  const std::string& file_;
  std::string_view what_;
  std::vector<std::set<std::string>> names_;  // of the objects that are open
};

}  // namespace

Json parse_json(std::string_view text, const std::string& file, std::string_view what) {
  Watch watch(file, what);
  try {
    return Json::parse(text, [&watch](int depth, Json::parse_event_t event, const Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::parse_error& problem) {
    throw DataError({file}, fmt::format("{} is not JSON, from byte {} on", what, problem.byte));
  } catch (const Json::exception&) {
    throw DataError({file}, fmt::format("{} holds a number that no double can hold", what));
  }
}

}  // namespace strata
