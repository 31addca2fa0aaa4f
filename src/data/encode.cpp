#include "strata/data/encode.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "data/columns.h"
#include "data/names.h"
#include "data/number_text.h"
#include "strata/core/exact_sum.h"
#include "strata/core/option_text.h"
#include "strata/core/portable_math.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

void sort_distinct(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::vector<double> distinct_values(std::span<const double> numbers, Communicator& processes) {
  std::vector<double> own;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(own),
               [](double v) { return !std::isnan(v); });
  sort_distinct(own);
  if (processes.alone()) return own;
  std::vector<double> values;
  for (const auto& part : all_to_all(processes, std::vector(processes.size(), own)))
    values.insert(values.end(), part.begin(), part.end());
  sort_distinct(values);
  return values;
}

std::size_t first_row_with(const Column& column, std::int32_t code) {
  return static_cast<std::size_t>(std::find(column.codes.begin(), column.codes.end(), code) -
                                  column.codes.begin());
}

// Numbers taken as categories go through numbers even where a later file holds text: 1.0 and 1 are one category.
Column as_encoded(const Table& table, std::size_t position, ColumnType raw, ColumnType encoded,
                  Communicator& processes) {
  if (encoded == ColumnType::numeric) return as_numeric(table, position);
  return as_nominal(raw == ColumnType::numeric ? as_numeric(table, position) : table.columns[position],
                    processes);
}

void fit_number(const NumberSummary& summary, Scaling scaling, const Table& table, std::size_t position,
                ColumnEncoding& encoding) {
  encoding.scale = fit_scale(scaling, summary);
  // The mean fills what is missing, so it must be finite too, also where nothing is scaled.
  if (!std::isfinite(encoding.scale.range) || !std::isfinite(encoding.scale.offset) ||
      !std::isfinite(summary.mean))
    throw DataError(
        {table.file, 0, position + 1},
        fmt::format("the numbers of '{}' spread too far to be scaled in doubles; rescale it, or give {}",
                    encoding.name, option_text("ignore", encoding.name)));
  encoding.fill_number = summary.mean;
}

// Processes that share the rows have the same categories in the same order, though some may occur at few of them.
void fit_categories(const Column& column, std::span<const double> weights, Communicator& processes,
                    ColumnEncoding& encoding) {
  std::vector<ExactSum> own(column.categories.size());
  for (std::size_t i = 0; i < column.codes.size(); ++i)
    if (column.codes[i] != Column::missing_code)
      own[static_cast<std::size_t>(column.codes[i])].add(weights.empty() ? 1 : weights[i]);
  std::vector<ExactSum> sums(own.size());
  for (const auto& part : all_to_all(processes, std::vector(processes.size(), own)))
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += part[k];
  double most = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double count = sums[k].value();
    if (count == 0) continue;
    if (count > most) {
      most = count;
      encoding.fill_category = static_cast<std::int32_t>(encoding.categories.size());
    }
    encoding.categories.push_back(column.categories[k]);
  }
}

double scaled_or_missing(const ColumnEncoding& encoding, double value) {
  return std::isnan(value) ? value : encoding.scale.apply(value);
}

void encode_numbers(const ColumnEncoding& encoding, const Column& column, std::span<const std::size_t> rows,
                    std::span<double> out) {
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = scaled_or_missing(encoding, column.numbers[rows[i]]);
}

// For each category of the column its number in the encoding, -1 where training had none of it.
std::vector<std::int32_t> translate(const ColumnEncoding& encoding, const Column& column) {
  const CategoryIndex known(encoding.categories);
  std::vector<std::int32_t> codes;
  for (const std::string& category : column.categories) codes.push_back(known.find(category));
  return codes;
}

[[noreturn]] void refuse_unseen(const ColumnEncoding& encoding, const Column& column, const Table& table,
                                std::size_t position, std::size_t row) {
  const std::string category = shown(column.categories[static_cast<std::size_t>(column.codes[row])]);
  throw table.refusal(
      row, position,
      encoding.classes
          ? fmt::format(
                "the class '{}' of the target '{}' did not occur in training; correct it or leave out "
                "its row",
                category, encoding.name)
          : fmt::format("'{}' in column '{}' did not occur in training; correct it, or give {}", category,
                        encoding.name, option_text("unseen", "zeros")));
}

void encode_categories(const ColumnEncoding& encoding, const Column& column, const Table& table,
                       std::size_t position, std::span<const std::size_t> rows, UnseenPolicy unseen,
                       std::span<double> out) {
  const std::vector<std::int32_t> codes = translate(encoding, column);
  const auto other = static_cast<double>(encoding.categories.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t raw = column.codes[rows[i]];
    if (raw == Column::missing_code) {
      out[i] = Column::missing_number;
      continue;
    }
    const std::int32_t code = codes[static_cast<std::size_t>(raw)];
    if (code == Column::missing_code && unseen == UnseenPolicy::refuse)
      refuse_unseen(encoding, column, table, position, rows[i]);
    out[i] = code == Column::missing_code ? other : code;
  }
}

// The moment that each category of the column is; nothing for one that is none.
std::vector<std::optional<Moment>> moments_of(const Column& column, DateOrder order) {
  std::vector<std::optional<Moment>> moments;
  moments.reserve(column.categories.size());
  for (const std::string& text : column.categories) moments.push_back(Moment::parse(text, order));
  return moments;
}

double part_of(const std::vector<std::optional<Moment>>& moments, std::int32_t code, DatePart part) {
  if (code == Column::missing_code) return Column::missing_number;
  const auto& moment = moments[static_cast<std::size_t>(code)];
  return moment ? moment->part(part) : Column::missing_number;
}

void fit_date(const Column& column, std::span<const double> weights, Scaling scaling, const Table& table,
              std::size_t position, Communicator& processes, ColumnEncoding& encoding) {
  encoding.order = find_dates(column.categories).value_or(DatesFound{}).order;
  const auto moments = moments_of(column, encoding.order);
  std::vector<double> values(column.codes.size());
  for (const DatePart part : date_parts) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = part_of(moments, column.codes[i], part);
    const NumberSummary summary = summarise(values, weights, processes);
    if (summary.count == 0 || summary.low == summary.high) continue;
    encoding.parts.push_back(part);
    if (part == DatePart::year) fit_number(summary, scaling, table, position, encoding);
  }
}

void encode_dates(const ColumnEncoding& encoding, const Column& column, const Table& table,
                  std::size_t position, std::span<const std::size_t> rows, Matrix out) {
  const auto moments = moments_of(column, encoding.order);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t code = column.codes[rows[i]];
    if (code != Column::missing_code && !moments[static_cast<std::size_t>(code)])
      throw table.refusal(
          rows[i], position,
          fmt::format("'{}' is no date, and column '{}' holds dates; correct it or leave it empty",
                      shown(column.categories[static_cast<std::size_t>(code)]), encoding.name));
    std::size_t c = 0;
    for (const DatePart part : encoding.parts) {
      const double value = part_of(moments, code, part);
      if (part == DatePart::year) {
        out(c++, i) = scaled_or_missing(encoding, value);
        continue;
      }
      const double angle = 2 * std::numbers::pi * value / period_of(part);
      out(c++, i) = std::isnan(value) ? value : portable_sin(angle);
      out(c++, i) = std::isnan(value) ? value : portable_sin(angle + std::numbers::pi / 2);
    }
    // A time may lack in a date that is there, so the parts do not tell.
    if (encoding.indicator) out(c, i) = code == Column::missing_code ? 1 : 0;
  }
}

std::vector<InputColumn> columns_of_date(const ColumnEncoding& encoding) {
  std::vector<InputColumn> columns;
  for (const DatePart part : encoding.parts) {
    if (part == DatePart::year)
      columns.push_back({.fill = encoding.scale.apply(encoding.fill_number)});
    else
      columns.insert(columns.end(), 2, {.fill = 0});
  }
  if (encoding.indicator) columns.push_back({});
  return columns;
}

}  // namespace

std::vector<InputColumn> ColumnEncoding::columns() const {
  if (encoded == ColumnType::date) return columns_of_date(*this);
  if (encoded == ColumnType::numeric) return {{.fill = scale.apply(fill_number), .indicator = indicator}};
  return {
      {.categories = categories.size(), .fill = static_cast<double>(fill_category), .indicator = indicator}};
}

std::size_t ColumnEncoding::features() const { return InputLayout{.columns = columns()}.features(); }

std::vector<std::string> ColumnEncoding::column_names() const {
  if (encoded != ColumnType::date) return {name};
  std::vector<std::string> names;
  for (const DatePart part : parts) {
    const std::string named = fmt::format("{} {}", name, to_string(part));
    if (part == DatePart::year) {
      names.push_back(named);
      continue;
    }
    names.push_back(named + " sine");
    names.push_back(named + " cosine");
  }
  if (indicator) names.push_back(name + " is missing");
  return names;
}

std::vector<std::string> ColumnEncoding::feature_names() const {
  if (encoded == ColumnType::date) return column_names();
  std::vector<std::string> names;
  if (encoded == ColumnType::numeric)
    names.push_back(name);
  else if (categories.size() > 2)
    for (const std::string& category : categories) names.push_back(name + "=" + category);
  else
    names.push_back(name + "=" + (categories.empty() ? "" : categories.back()));
  if (indicator) names.push_back(name + " is missing");
  return names;
}

Column as_numeric(const Table& table, std::size_t position) {
  const Column& column = table.columns[position];
  if (column.type == ColumnType::numeric) return column;
  std::vector<double> values(column.categories.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto code = static_cast<std::int32_t>(k);
    if (parse_number(column.categories[k], values[k]) && std::isfinite(values[k])) continue;
    const std::size_t row = first_row_with(column, code);
    if (row == column.codes.size()) continue;  // declared, but in no row
    throw table.refusal(
        row, position,
        fmt::format("'{}' is not a number, and column '{}' is numeric; correct the value, or give {}",
                    shown(column.categories[k]), column.name, option_text("categorical", column.name)));
  }
  std::vector<double> numbers;
  numbers.reserve(column.codes.size());
  for (const std::int32_t code : column.codes)
    numbers.push_back(code == Column::missing_code ? Column::missing_number
                                                   : values[static_cast<std::size_t>(code)]);
  return numeric_column(column.name, std::move(numbers));
}

Column as_nominal(const Column& column, Communicator& processes) {
  if (column.type == ColumnType::nominal) return column;
  const std::vector<double> values = distinct_values(column.numbers, processes);
  std::vector<std::string> categories;
  categories.reserve(values.size());
  for (const double value : values) categories.push_back(fmt::format("{}", value + 0.0));  // -0 is 0
  std::vector<std::int32_t> codes;
  codes.reserve(column.numbers.size());
  for (const double number : column.numbers)
    codes.push_back(std::isnan(number)
                        ? Column::missing_code
                        : static_cast<std::int32_t>(std::lower_bound(values.begin(), values.end(), number) -
                                                    values.begin()));
  return nominal_column(column.name, std::move(categories), std::move(codes));
}

FittedColumn fit_encoding(const Table& table, std::size_t position, ColumnType encoded, Scaling scaling,
                          std::span<const std::size_t> rows, Communicator& processes) {
  const ColumnType raw = table.columns[position].type;
  const Column column = raw == encoded ? table.columns[position].take(rows)
                                       : as_encoded(table, position, raw, encoded, processes).take(rows);
  ColumnEncoding encoding;
  encoding.name = column.name;
  encoding.raw = raw;
  encoding.unit = table.columns[position].unit;
  encoding.encoded = encoded;
  std::vector<double> weights;
  if (!table.weights.empty())
    for (const std::size_t row : rows) weights.push_back(table.weights[row]);
  if (encoded == ColumnType::numeric) {
    const NumberSummary summary = summarise(column.numbers, weights, processes);
    fit_number(summary, scaling, table, position, encoding);
    const std::size_t values = summary.low == summary.high ? 1 : 2;
    return {std::move(encoding), summary.count == 0 ? 0 : values};
  }
  if (encoded == ColumnType::date) {
    fit_date(column, weights, scaling, table, position, processes, encoding);
    const std::size_t values = encoding.parts.empty() ? 1 : 2;
    return {std::move(encoding), values};
  }
  fit_categories(column, weights, processes, encoding);
  const std::size_t values = encoding.categories.size();
  return {std::move(encoding), values};
}

void encode_column(const ColumnEncoding& encoding, const Table& table, std::size_t position,
                   std::span<const std::size_t> rows, UnseenPolicy unseen, Matrix out) {
  const bool as_it_is = encoding.raw == encoding.encoded && table.columns[position].type == encoding.encoded;
  const Column other =
      as_it_is ? Column{} : as_encoded(table, position, encoding.raw, encoding.encoded, single_process());
  const Column& column = as_it_is ? table.columns[position] : other;
  if (encoding.encoded == ColumnType::numeric)
    encode_numbers(encoding, column, rows, out.row(0));
  else if (encoding.encoded == ColumnType::date)
    encode_dates(encoding, column, table, position, rows, out);
  else
    encode_categories(encoding, column, table, position, rows, unseen, out.row(0));
}

}  // namespace strata
