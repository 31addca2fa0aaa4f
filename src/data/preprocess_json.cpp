#include <fmt/core.h>

#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/json.h"
#include "core/json_text.h"
#include "data/number_text.h"
#include "data/style_json.h"
#include "strata/data/preprocess.h"

namespace strata {

namespace {

using Stored = nlohmann::json;

constexpr int format_version = 1;

template <class E, std::size_t n>
using Words = std::array<std::pair<E, std::string_view>, n>;

constexpr Words<ColumnType, 3> column_types{
    {{ColumnType::numeric, "numeric"}, {ColumnType::nominal, "nominal"}, {ColumnType::date, "date"}}};
constexpr Words<DateOrder, 2> date_orders{
    {{DateOrder::day_first, "day_first"}, {DateOrder::month_first, "month_first"}}};
// The last word is how earlier versions wrote `drop`.
constexpr Words<MissingPolicy, 4> missing_policies{{{MissingPolicy::refuse, "refuse"},
                                                    {MissingPolicy::drop, "drop"},
                                                    {MissingPolicy::impute, "impute"},
                                                    {MissingPolicy::drop, "drop_rows"}}};
constexpr Words<UnseenPolicy, 2> unseen_policies{
    {{UnseenPolicy::refuse, "refuse"}, {UnseenPolicy::zeros, "zeros"}}};

template <class E, std::size_t n>
std::string word(const Words<E, n>& words, E value) {
  for (const auto& [candidate, text] : words)
    if (candidate == value) return std::string(text);
  return "";
}

[[noreturn]] void refuse(std::string_view problem) {
  throw DataError({"preprocessor"},
                  fmt::format("{}; the stored text was changed or cut, store it again", problem));
}

template <class E, std::size_t n>
E value_of(const Words<E, n>& words, const std::string& text) {
  for (const auto& [candidate, name] : words)
    if (name == text) return candidate;
  refuse(fmt::format("'{}' is not a known setting", text));
}

void write(JsonText& json, const ColumnEncoding& column) {
  json.begin_object()
      .member("name", column.name)
      .member("raw", word(column_types, column.raw))
      .member("encoded", word(column_types, column.encoded))
      .member("indicator", column.indicator);
  if (!column.unit.empty()) json.member("unit", column.unit);
  if (column.encoded == ColumnType::date) {
    json.member("order", word(date_orders, column.order)).name("parts").begin_list();
    for (const DatePart part : column.parts) json.value(to_string(part));
    json.end_list();
  }
  if (column.encoded != ColumnType::nominal)
    json.member("offset", column.scale.offset)
        .member("range", column.scale.range)
        .member("fill", column.fill_number);
  else
    json.member("categories", column.categories).member("fill", column.fill_category);
  if (column.classes) json.member("classes", true);
  json.end_object();
}

void write(JsonText& json, const std::vector<ColumnEncoding>& columns) {
  json.begin_list();
  for (const ColumnEncoding& column : columns) write(json, column);
  json.end_list();
}

// A constant column has the range 0; no column has one below.
void check_numbers_of(const ColumnEncoding& column) {
  if (!std::isfinite(column.scale.offset) || !std::isfinite(column.scale.range) || column.scale.range < 0)
    refuse(fmt::format("the scale of '{}' cannot be: offset {}, range {}", column.name, column.scale.offset,
                       column.scale.range));
  if (!std::isfinite(column.fill_number))
    refuse(fmt::format("the fill value of '{}' is not finite", column.name));
}

DatePart part_from(const std::string& name) {
  for (const DatePart part : date_parts)
    if (to_string(part) == name) return part;
  refuse(fmt::format("'{}' is no part of a date", name));
}

ColumnEncoding encoding_from_json(const Stored& json) {
  ColumnEncoding column;
  column.name = json.at("name");
  column.raw = value_of(column_types, json.at("raw"));
  column.encoded = value_of(column_types, json.at("encoded"));
  column.indicator = json.at("indicator");
  column.unit = json.value("unit", "");
  if (!unit_from(column.unit)) refuse(fmt::format("'{}' is not a known unit", column.unit));
  if (column.encoded == ColumnType::date) {
    column.order = value_of(date_orders, json.at("order"));
    for (const Stored& part : json.at("parts")) column.parts.push_back(part_from(part));
  }
  if (column.encoded != ColumnType::nominal) {
    column.scale = {.offset = json.at("offset"), .range = json.at("range")};
    column.fill_number = json.at("fill");
    check_numbers_of(column);
  } else {
    column.classes = json.contains("classes") && json.at("classes").get<bool>();
    column.categories = json.at("categories").get<std::vector<std::string>>();
    column.fill_category = json.at("fill");
    const auto count = static_cast<std::int64_t>(column.categories.size());
    if (column.fill_category < 0 || column.fill_category >= count)
      refuse(fmt::format("the fill category of '{}' is not among its categories", column.name));
  }
  return column;
}

std::vector<ColumnEncoding> encodings_from_json(const Stored& json) {
  std::vector<ColumnEncoding> columns;
  std::set<std::string> names;  // cells are found by the name of their column
  for (const Stored& column : json) {
    columns.push_back(encoding_from_json(column));
    if (!names.insert(columns.back().name).second)
      refuse(fmt::format("the column '{}' is listed twice", columns.back().name));
  }
  return columns;
}

// Targets are encoded into one column each; a wider one would be written past its place.
std::vector<ColumnEncoding> targets_from_json(const Stored& json) {
  std::vector<ColumnEncoding> targets = encodings_from_json(json);
  for (const ColumnEncoding& target : targets) {
    const std::size_t width = target.classes ? 1 : target.features();
    if (width != 1) refuse(fmt::format("the target '{}' would become {} columns", target.name, width));
  }
  return targets;
}

}  // namespace

std::string Preprocessor::to_json() const {
  // Names in another encoding than UTF-8 must not make a model unstorable.
  JsonText json(JsonText::BadUtf8::replace);
  json.begin_object()
      .member("format", format_version)
      .member("missing", word(missing_policies, missing_))
      .member("drop_rows_without_target", drop_rows_without_target_)
      .member("unseen", word(unseen_policies, unseen_));
  if (!expand_inputs_) json.member("expand_inputs", false);
  if (style_ != TextStyle{}) write_style(json.name("text"), style_);
  write(json.name("inputs"), inputs_);
  write(json.name("targets"), target_.columns());
  return std::move(json.end_object().text());
}

Preprocessor Preprocessor::from_json(std::string_view text) {
  const JsonDocument document = parse_json(text, "preprocessor", "the stored text");
  const Stored& json = document.root();
  try {
    if (const int version = json.at("format"); version != format_version)
      refuse(fmt::format("it has format {}, this version reads {}", version, format_version));
    Preprocessor fitted;
    fitted.missing_ = value_of(missing_policies, json.at("missing"));
    fitted.drop_rows_without_target_ = json.at("drop_rows_without_target");
    fitted.unseen_ = value_of(unseen_policies, json.at("unseen"));
    fitted.expand_inputs_ = json.value("expand_inputs", true);
    if (json.contains("text")) fitted.style_ = style_from_json(json.at("text"), "preprocessor");
    fitted.inputs_ = encodings_from_json(json.at("inputs"));
    fitted.target_ = Target(targets_from_json(json.at("targets")));
    return fitted;
  } catch (const Stored::exception& problem) {
    refuse(problem.what());
  }
}

}  // namespace strata
