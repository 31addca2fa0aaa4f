#include "core/json_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "strata/core/errors.h"

namespace strata {

namespace {

using Json = nlohmann::json;  // single values only: their destructors take no memory

}  // namespace

std::string JsonText::quoted(std::string_view text) const {
  try {
    return Json(text).dump(
        -1, ' ', false,
        policy_ == BadUtf8::replace ? Json::error_handler_t::replace : Json::error_handler_t::strict);
  } catch (const Json::exception&) {
    throw Error("a name or text to be stored is not UTF-8; convert it");
  }
}

void JsonText::separate() {
  if (follows_) text_ += ',';
  follows_ = true;
}

JsonText& JsonText::open(char bracket) {
  separate();
  text_ += bracket;
  follows_ = false;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  text_ += bracket;
  follows_ = true;
  return *this;
}

JsonText& JsonText::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonText& JsonText::name(std::string_view name) {
  separate();
  text_ += quoted(name);
  text_ += ':';
  follows_ = false;
  return *this;
}

JsonText& JsonText::value(std::string_view text) { return raw(quoted(text)); }

JsonText& JsonText::value(double number) { return std::isfinite(number) ? raw(Json(number).dump()) : null(); }

}  // namespace strata
