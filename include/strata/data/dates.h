#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// In which order day, month and year stand where all three are numbers and the year is not first.
enum class DateOrder { day_first, month_first };

// What can be learnt from a date: the year as a number, the others as angles, so that December is next to January.
enum class DatePart { year, month, day, weekday, hour };
inline constexpr std::array date_parts{DatePart::year, DatePart::month, DatePart::day, DatePart::weekday,
                                       DatePart::hour};
std::string_view to_string(DatePart part);
double period_of(DatePart part);  // 12 months, 31 days, 7 weekdays, 24 hours

// One date, one time of day, or both.
class Moment {
 public:
  // ISO 8601 and its relatives (2024-03-31, 2024/03/31 14:05, 2024-03-31T14:05:06Z), 31.03.2024, 31/03/2024, 3/31/24,
  // 31 Mar 2024, March 31, 2024, 2024-03, 14:05, 2:05 PM. A zone is not looked at: the clock on the wall counts.
  static std::optional<Moment> parse(std::string_view text, DateOrder order);

  // NaN for a part that it does not have. Months, days and weekdays (Monday is 0) count from 0.
  [[nodiscard]] double part(DatePart part) const;

 private:
  std::optional<int> year_ = {};
  int month_ = 1;
  int day_ = 1;
  std::optional<double> hour_ = {};
};

// The order in which every text is a moment; nothing where some text is none, or there is no text. Where both orders would
// do, 1/2/2024 is the second of January, and 1.2.2024 or 1-2-2024 the first of February.
struct DatesFound {
  DateOrder order;
  bool ambiguous;
};
std::optional<DatesFound> find_dates(std::span<const std::string> texts);

}  // namespace strata
