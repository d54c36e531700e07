#pragma once
// Periods of calendar months: how a configuration writes them, and which of them fit into which. Knows no
// dates (core/step.h does).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

/// So many months. `from`: the month, 1 to 12, in which one of the periods begins, where that is said; of the
/// months that say the same it is the first of the year. 0: the periods are counted from model time 0.
struct Months {
  std::int64_t count = 0;
  int from = 0;
  friend bool operator==(const Months&, const Months&) = default;
};

/// "1 month", "3 months", "1 year", "1 season", "3 months from March", "1 year from October". A season is
/// three months from December.
std::optional<Months> parse_months(std::string_view text);
/// Why `text`, which is a number of months, seasons or years or is from a month, is none of these; "" if it
/// is one, or about something else.
std::string months_problem(std::string_view text);
/// "1 month", "3 months from March".
std::string text(const Months& months);

/// From January on.
const std::vector<std::string>& month_names();

/// How often `part` is in `whole`; 0: no whole number of times, or where `whole` begins no part does.
std::int64_t times_in(const Months& part, const Months& whole);

}  // namespace pileus
