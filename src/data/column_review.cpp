#include "data/column_review.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/names.h"
#include "strata/core/option_text.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

constexpr std::size_t few_rows = 20;  // where every text may well be another one, and counting up be chance

bool is_listed(const PreprocessOptions& options, const std::string& name) {
  return contains(options.numeric, name) || contains(options.categorical, name);
}

// Texts such as '12.5 km' or '(300)' would be of use as numbers.
std::string hint_on_numbers(const std::vector<std::string>& texts) {
  const auto begins_like_one = [](const std::string& text) {
    const std::size_t at = text.find_first_not_of("(+- ");
    return at != std::string::npos && text[at] >= '0' && text[at] <= '9';
  };
  if (texts.empty() || !std::ranges::all_of(texts, begins_like_one)) return "";
  return fmt::format("; to use the number in '{}' and the like, let it stand alone", shown(texts.front()));
}

}  // namespace

std::size_t ColumnReview::missing_in(std::size_t position, std::span<const std::size_t> rows) const {
  const Column& column = table_.columns[position];
  return sum_over(processes_, static_cast<std::size_t>(std::ranges::count_if(
                                  rows, [&](std::size_t row) { return column.is_missing(row); })));
}

std::size_t ColumnReview::missing_everywhere(std::size_t position) const {
  const Column& column = table_.columns[position];
  std::size_t count = 0;
  for (std::size_t row = 0; row < column.size(); ++row) count += column.is_missing(row) ? 1 : 0;
  column.release();
  return sum_over(processes_, count);
}

bool ColumnReview::leaves_out(const std::string& name, std::size_t position, const std::string& fault) {
  if (options_.useless == ColumnPolicy::leave_out) {
    left_out_.push_back(fmt::format("column '{}' {} and is left out", name, fault));
    return true;
  }
  throw DataError({table_.file, 0, position + 1}, fmt::format("column '{}' {}; leave it out by {}", name,
                                                              fault, option_text("ignore", name)));
}

std::vector<std::string> ColumnReview::with_values(const std::vector<std::string>& inputs) {
  inputs_ = inputs.size();
  if (options_.useless == ColumnPolicy::keep) return inputs;
  const std::vector<std::string> names = table_.names();
  const NameIndex index(names);
  const std::size_t rows = sum_over(processes_, table_.rows());
  std::vector<std::string> kept;
  for (const std::string& name : inputs) {
    const std::size_t position = *index.find(name);
    if (missing_everywhere(position) < rows || !leaves_out(name, position, "has no value"))
      kept.push_back(name);
  }
  return kept;
}

// Consecutive parts of one count at every process.
bool ColumnReview::numbers_the_rows(const Column& column) const {
  if (column.type != ColumnType::numeric) return false;
  struct Part {
    double first;
    double last;
    std::size_t rows;
    bool counts;
  };
  const std::span<const double> numbers = column.numbers;
  Part own{0, 0, numbers.size(), true};
  if (!numbers.empty()) {
    own.first = numbers.front();
    own.last = numbers.back();
    own.counts =
        own.first == std::floor(own.first) &&
        std::ranges::adjacent_find(numbers, [](double a, double b) { return b != a + 1; }) == numbers.end();
  }
  std::size_t rows = 0;
  double next = 0;
  for (const Part& part : all_gather(processes_, own)) {
    if (!part.counts) return false;
    if (part.rows == 0) continue;
    if (rows > 0 && part.first != next) return false;
    rows += part.rows;
    next = part.last + 1;
  }
  return rows >= few_rows;
}

std::string ColumnReview::fault_of(const FittedColumn& column, std::size_t position, std::size_t rows,
                                   std::size_t missing) const {
  const std::string& name = column.encoding.name;
  const bool nominal = column.encoding.encoded == ColumnType::nominal;
  if (missing == rows) return "has no value in the training rows";
  const bool may_go = options_.useless != ColumnPolicy::keep && !is_listed(options_, name);
  if (may_go && nominal && column.values == rows - missing && rows >= few_rows)
    return fmt::format("has another text in every row ({} keeps it{})", option_text("categorical", name),
                       hint_on_numbers(table_.columns[position].categories));
  if (nominal && column.values > options_.max_categories)
    return fmt::format("has {} categories, more than {} ({} keeps it)", column.values,
                       options_.max_categories, option_text("max-categories", std::to_string(column.values)));
  if (!may_go) return "";
  if (column.encoding.encoded == ColumnType::date && column.encoding.parts.empty())
    return "has the same value in every row";
  if (column.values == 1 && missing == 0) return "has the same value in every row";
  if (inputs_ > 1 && numbers_the_rows(table_.columns[position]))
    return fmt::format("numbers the rows ({} keeps it)", option_text("numeric", name));
  return "";
}

void ColumnReview::note_date(const ColumnEncoding& encoding, const Column& column) {
  std::vector<std::string_view> parts;
  for (const DatePart part : encoding.parts) parts.push_back(to_string(part));
  const bool ambiguous = find_dates(column.categories)->ambiguous;
  const std::string_view order = encoding.order == DateOrder::day_first ? "the day" : "the month";
  dates_.push_back(fmt::format("column '{}' holds dates{} and becomes {} ({} takes them as categories)",
                               encoding.name, ambiguous ? fmt::format(", read with {} first,", order) : "",
                               fmt::join(parts, ", "), option_text("categorical", encoding.name)));
}

bool ColumnReview::keeps(FittedColumn& column, std::size_t position, std::span<const std::size_t> rows) {
  const std::size_t missing = missing_in(position, rows);
  const std::string fault = fault_of(column, position, sum_over(processes_, rows.size()), missing);
  if (!fault.empty() && leaves_out(column.encoding.name, position, fault)) return false;
  if (column.encoding.encoded == ColumnType::date) note_date(column.encoding, table_.columns[position]);
  if (options_.missing != MissingPolicy::impute) return true;
  column.encoding.indicator = missing > 0;
  if (const std::size_t all = missing_everywhere(position); all > 0)
    filled_.push_back(fmt::format("{} {}", column.encoding.name, all));
  return true;
}

void ColumnReview::look_at_targets(const std::vector<std::string>& targets,
                                   std::span<const std::size_t> rows) {
  for (const std::string& name : targets) {
    const std::size_t position = table_.index(name);
    const Column& column = table_.columns[position];
    if (column.type != ColumnType::numeric) continue;
    constexpr double none = std::numeric_limits<double>::infinity();
    std::array own{none, -none};
    for (const std::size_t row : rows)
      own = {std::min(own[0], column.numbers[row]), std::max(own[1], column.numbers[row])};
    double low = none;
    double high = -none;
    for (const auto& part : all_gather(processes_, own)) {
      low = std::min(low, part[0]);
      high = std::max(high, part[1]);
    }
    if (low != high) continue;
    const std::string fault = fmt::format("the target '{}' is {} in every row to train on", name, low);
    if (options_.useless == ColumnPolicy::refuse)
      throw DataError({table_.file, 0, position + 1},
                      fmt::format("{}; choose a column to predict that differs", fault));
    constant_targets_.push_back(
        fmt::format("{}: that is what the model predicts, and R2 is not defined", fault));
  }
}

void ColumnReview::refuse_nothing_left() const {
  throw DataError({table_.file},
                  fmt::format("there is no usable column beside the target: {}", fmt::join(left_out_, "; ")));
}

void ColumnReview::append_notices(const std::vector<std::string>& targets,
                                  std::vector<std::string>& notices) const {
  for (const std::string& sentence : left_out_)
    notices.push_back(fmt::format("{}: {}", table_.file, sentence));
  for (const std::string& sentence : constant_targets_)
    notices.push_back(fmt::format("{}: {}", table_.file, sentence));
  for (const std::string& sentence : dates_) notices.push_back(fmt::format("{}: {}", table_.file, sentence));
  if (!filled_.empty()) {
    constexpr std::size_t most = 8;
    const std::span shown(filled_.data(), std::min(most, filled_.size()));
    notices.push_back(
        fmt::format("{}: missing values are filled in, with an indicator for columns that miss them in "
                    "training ({}{}); {} or {} changes that",
                    table_.file, fmt::join(shown, ", "), filled_.size() > most ? ", ..." : "",
                    option_text("missing", "drop"), option_text("missing", "refuse")));
  }
  for (const std::string& target : targets)
    if (const std::size_t missing = missing_everywhere(table_.index(target)); missing > 0)
      notices.push_back(fmt::format("{}: {} of {} rows have no '{}' and are left out", table_.file, missing,
                                    sum_over(processes_, table_.rows()), target));
}

}  // namespace strata
