#include "strata/data/dates.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "data/names.h"

namespace strata {

namespace {

bool is_number_sign(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text[0] == '-' || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// 1 to 12 for a name of at least three letters.
std::optional<int> month_named(std::string_view word) {
  static constexpr std::array<std::string_view, 12> names{"january",   "february", "march",    "april",
                                                          "may",       "june",     "july",     "august",
                                                          "september", "october",  "november", "december"};
  const std::string lower = lower_case(word);
  if (lower.size() < 3) return {};
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k].starts_with(lower)) return static_cast<int>(k) + 1;
  return {};
}

bool is_weekday_name(std::string_view word) {
  static constexpr std::array<std::string_view, 7> names{"monday", "tuesday",  "wednesday", "thursday",
                                                         "friday", "saturday", "sunday"};
  const std::string lower = lower_case(word);
  return lower.size() >= 3 &&
         std::ranges::any_of(names, [&](std::string_view name) { return name.starts_with(lower); });
}

// Runs of digits and of letters; nothing where another sign than - / . , or a blank stands between them.
std::optional<std::vector<std::string_view>> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const bool letters = is_letter(text[at]);
    if (!letters && !is_number_sign(text[at])) {
      constexpr std::string_view between = "-/., ";
      if (words.empty() || between.find(text[at]) == std::string_view::npos) return {};
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (letters ? is_letter(text[end]) : is_number_sign(text[end]))) ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

struct Date {
  int year;
  int month;
  int day;
};

bool exists(const Date& date) {
  return std::chrono::year_month_day(std::chrono::year(date.year),
                                     std::chrono::month(static_cast<unsigned>(date.month)),
                                     std::chrono::day(static_cast<unsigned>(date.day)))
             .ok() &&
         date.year >= 1000;
}

// Two digits mean a year from 1969 to 2068, as on Unix; only between strokes, where versions such as 1.2.30 do not occur.
std::optional<int> year_of(std::string_view word, bool short_years) {
  const auto year = whole(word);
  if (!year || (word.size() != 4 && !(short_years && word.size() == 2))) return {};
  if (word.size() == 4) return year;
  return *year + (*year < 69 ? 2000 : 1900);
}

std::optional<Date> date_of(std::string_view text, DateOrder order) {
  auto words = words_of(text);
  if (!words) return {};
  if (!words->empty() && is_weekday_name(words->front())) words->erase(words->begin());
  const bool short_years = text.find('.') == std::string_view::npos;
  if (words->size() == 2 && words->front().size() == 4 && words->back().size() == 2) words->push_back("01");
  if (words->size() != 3) return {};
  const auto& [a, b, c] = std::tie((*words)[0], (*words)[1], (*words)[2]);
  const auto made = [](std::optional<int> year, std::optional<int> month,
                       std::optional<int> day) -> std::optional<Date> {
    if (!year || !month || !day || *month > 12 || *day > 31) return {};
    const Date date{*year, *month, *day};
    if (!exists(date)) return {};
    return date;
  };
  const auto short_number = [](std::string_view word) {
    return word.size() <= 2 ? whole(word) : std::nullopt;
  };
  if (const auto month = month_named(b)) {
    if (a.size() == 4) return made(whole(a), month, short_number(c));
    return made(year_of(c, short_years), month, short_number(a));
  }
  if (const auto month = month_named(a)) return made(year_of(c, false), month, short_number(b));
  if (a.size() == 4) return made(whole(a), short_number(b), short_number(c));
  if (order == DateOrder::day_first) return made(year_of(c, short_years), short_number(b), short_number(a));
  return made(year_of(c, short_years), short_number(a), short_number(b));
}

// 14:05, 14:05:06.7, 2:05 PM, each with a zone that is left alone.
std::optional<double> hour_of(std::string_view text) {
  bool afternoon = false;
  bool morning = false;
  const std::string lower = lower_case(text);
  if (lower.ends_with("am") || lower.ends_with("pm")) {
    (lower.ends_with("pm") ? afternoon : morning) = true;
    text = trim(text.substr(0, text.size() - 2));
  }
  if (const std::size_t zone = text.find_first_of("zZ+-"); zone != std::string_view::npos) {
    const std::string_view rest = text.substr(zone + 1);
    if (rest.find_first_not_of("0123456789:") != std::string_view::npos) return {};
    text = trim(text.substr(0, zone));
  }
  std::array<double, 3> fields{};  // hours, minutes, seconds
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size();) {
    if (count == fields.size()) return {};
    const std::size_t end = std::min(text.find(':', at), text.size());
    std::string_view field = text.substr(at, end - at);
    if (count == 2)
      field = field.substr(0, field.find_first_of(".,"));  // fractions of a second are nothing here
    const auto value = field.size() <= 2 ? whole(field) : std::nullopt;
    if (!value) return {};
    fields[count++] = *value;
    at = end + 1;
    if (end == text.size()) break;
  }
  if (count < 2 || fields[0] > 24 || fields[1] > 59 || fields[2] > 60) return {};
  if ((afternoon || morning) && (fields[0] < 1 || fields[0] > 12)) return {};
  if (afternoon && fields[0] < 12) fields[0] += 12;
  if (morning && fields[0] == 12) fields[0] = 0;
  return fields[0] + fields[1] / 60 + fields[2] / 3600;
}

}  // namespace

std::string_view to_string(DatePart part) {
  switch (part) {
    case DatePart::year: return "year";
    case DatePart::month: return "month";
    case DatePart::day: return "day";
    case DatePart::weekday: return "weekday";
    case DatePart::hour: return "hour";
  }
  return "";
}

double period_of(DatePart part) {
  switch (part) {
    case DatePart::month: return 12;
    case DatePart::day: return 31;
    case DatePart::weekday: return 7;
    case DatePart::hour: return 24;
    case DatePart::year: break;
  }
  return 0;
}

std::optional<Moment> Moment::parse(std::string_view text, DateOrder order) {
  constexpr std::size_t longest = 40;
  text = trim(text);
  if (text.empty() || text.size() > longest) return {};
  Moment moment;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::size_t before = text.substr(0, colon).find_last_of(" T");
    const std::size_t time = before == std::string_view::npos ? 0 : before + 1;
    const auto hour = hour_of(text.substr(time));
    if (!hour) return {};
    moment.hour_ = hour;
    text = trim(text.substr(0, time == 0 ? 0 : before));
    if (text.ends_with(',')) text.remove_suffix(1);
    if (text.empty()) return time == 0 ? std::optional(moment) : std::nullopt;
  }
  const auto date = date_of(text, order);
  if (!date) return {};
  moment.year_ = date->year;
  moment.month_ = date->month;
  moment.day_ = date->day;
  return moment;
}

double Moment::part(DatePart part) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (part == DatePart::hour) return hour_.value_or(none);
  if (!year_) return none;
  switch (part) {
    case DatePart::year: return *year_;
    case DatePart::month: return month_ - 1;
    case DatePart::day: return day_ - 1;
    default: break;
  }
  const std::chrono::year_month_day date(std::chrono::year(*year_),
                                         std::chrono::month(static_cast<unsigned>(month_)),
                                         std::chrono::day(static_cast<unsigned>(day_)));
  return std::chrono::weekday(std::chrono::sys_days(date)).iso_encoding() - 1;
}

std::optional<DatesFound> find_dates(std::span<const std::string> texts) {
  const auto all = [&](DateOrder order) {
    return std::ranges::all_of(
        texts, [&](const std::string& text) { return Moment::parse(text, order).has_value(); });
  };
  if (texts.empty()) return {};
  const bool day_first = all(DateOrder::day_first);
  const bool month_first = all(DateOrder::month_first);
  if (!day_first && !month_first) return {};
  if (day_first != month_first)
    return DatesFound{day_first ? DateOrder::day_first : DateOrder::month_first, false};
  const auto differs = [](const std::string& text) {
    const auto one = Moment::parse(text, DateOrder::day_first);
    const auto other = Moment::parse(text, DateOrder::month_first);
    return !std::isnan(one->part(DatePart::month)) &&
           one->part(DatePart::month) != other->part(DatePart::month);
  };
  const bool strokes = texts.front().find('/') != std::string::npos;
  const bool ambiguous = std::ranges::any_of(texts, differs);
  return DatesFound{strokes ? DateOrder::month_first : DateOrder::day_first, ambiguous};
}

}  // namespace strata
