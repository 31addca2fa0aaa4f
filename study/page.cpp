#include "study/page.h"

#include <cassert>
#include <cmath>
#include <string_view>

#include "study/files.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

std::string_view file(std::string_view name) { return text_of(page_files(), name); }

// Inside <script> HTML looks for "</script" and "<!--": without a "<" there is neither. Other characters are ASCII.
std::string inside_script(const Json& records) {
  std::string escaped;
  for (const char c : records.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<')
      escaped += "\\u003c";
    else
      escaped += c;
  }
  return escaped;
}

std::string script() {
  std::string all;
  for (const std::string_view name : {"page.js", "study.js", "trace.js", "model.js", "main.js"})
    all += file(name);
  return all;
}

}  // namespace

std::string report_page(const Json& records) {
  std::string page;
  std::string_view rest = file("report.html");
  const auto copy_until = [&](std::string_view marker) {
    const std::size_t place = rest.find(marker);
    assert(place != std::string_view::npos);
    page += rest.substr(0, place);
    rest.remove_prefix(place + marker.size());
  };
  // In the order of the page, so that nothing that was put in is searched for markers.
  copy_until("@style@");
  page += file("report.css");
  copy_until("@records@");
  page += inside_script(records);
  copy_until("@chart.js@");
  page += file("chart.min.js");
  copy_until("@script@");
  page += script();
  page += rest;
  return page;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace strata
