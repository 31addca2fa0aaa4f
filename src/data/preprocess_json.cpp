#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "strata/data/preprocess.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;  // written in this order
using Stored = nlohmann::json;        // read: finds names fast in any amount

constexpr int format_version = 1;

template <class E, std::size_t n>
using Words = std::array<std::pair<E, std::string_view>, n>;

constexpr Words<ColumnType, 2> column_types{
    {{ColumnType::numeric, "numeric"}, {ColumnType::nominal, "nominal"}}};
constexpr Words<MissingPolicy, 3> missing_policies{
    {{MissingPolicy::refuse, "refuse"}, {MissingPolicy::drop, "drop"}, {MissingPolicy::impute, "impute"}}};
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

Json encoding_to_json(const ColumnEncoding& column) {
  Json json{{"name", column.name},
            {"raw", word(column_types, column.raw)},
            {"encoded", word(column_types, column.encoded)},
            {"indicator", column.indicator}};
  if (column.encoded == ColumnType::numeric) {
    json["offset"] = column.scale.offset;
    json["range"] = column.scale.range;
    json["fill"] = column.fill_number;
  } else {
    json["categories"] = column.categories;
    json["fill"] = column.fill_category;
  }
  return json;
}

ColumnEncoding encoding_from_json(const Stored& json) {
  ColumnEncoding column;
  column.name = json.at("name");
  column.raw = value_of(column_types, json.at("raw"));
  column.encoded = value_of(column_types, json.at("encoded"));
  column.indicator = json.at("indicator");
  if (column.encoded == ColumnType::numeric) {
    column.scale = {.offset = json.at("offset"), .range = json.at("range")};
    column.fill_number = json.at("fill");
  } else {
    column.categories = json.at("categories").get<std::vector<std::string>>();
    column.fill_category = json.at("fill");
    const auto count = static_cast<std::int64_t>(column.categories.size());
    if (column.fill_category < 0 || column.fill_category >= count)
      refuse(fmt::format("the fill category of '{}' is not among its categories", column.name));
  }
  return column;
}

Json encodings_to_json(const std::vector<ColumnEncoding>& columns) {
  Json list = Json::array();
  for (const ColumnEncoding& column : columns) list.push_back(encoding_to_json(column));
  return list;
}

std::vector<ColumnEncoding> encodings_from_json(const Stored& json) {
  std::vector<ColumnEncoding> columns;
  for (const Stored& column : json) columns.push_back(encoding_from_json(column));
  return columns;
}

// Targets are encoded into one column each; a wider one would be written past its place.
std::vector<ColumnEncoding> targets_from_json(const Stored& json) {
  std::vector<ColumnEncoding> targets = encodings_from_json(json);
  for (const ColumnEncoding& target : targets)
    if (target.width() != 1)
      refuse(fmt::format("the target '{}' would become {} columns", target.name, target.width()));
  return targets;
}

}  // namespace

std::string Preprocessor::to_json() const {
  const Json json{{"format", format_version},
                  {"missing", word(missing_policies, missing_)},
                  {"drop_rows_without_target", drop_rows_without_target_},
                  {"unseen", word(unseen_policies, unseen_)},
                  {"inputs", encodings_to_json(inputs_)},
                  {"targets", encodings_to_json(targets_)}};
  // Names in another encoding than UTF-8 must not make a model unstorable.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Preprocessor Preprocessor::from_json(std::string_view text) {
  try {
    const Stored json = Stored::parse(text);
    if (const int version = json.at("format"); version != format_version)
      refuse(fmt::format("it has format {}, this version reads {}", version, format_version));
    Preprocessor fitted;
    fitted.missing_ = value_of(missing_policies, json.at("missing"));
    fitted.drop_rows_without_target_ = json.at("drop_rows_without_target");
    fitted.unseen_ = value_of(unseen_policies, json.at("unseen"));
    fitted.inputs_ = encodings_from_json(json.at("inputs"));
    fitted.targets_ = targets_from_json(json.at("targets"));
    return fitted;
  } catch (const Stored::exception& problem) {
    refuse(problem.what());
  }
}

}  // namespace strata
