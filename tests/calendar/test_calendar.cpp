// Reads lines "CALENDAR YEAR-MONTH-DAYTHH:MM:SS SECONDS" and answers each with the date so many seconds
// later, and the seconds from the first date to that one; or with the reason why the date does not exist. If
// "N K" follows the date instead, the answer is boundary K of every N months, and its number as found from
// the second before, from itself and from the second after.

#include <iostream>
#include <sstream>
#include <string>

#include "core/calendar.h"
#include "core/step.h"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string calendar_word, epoch_text;
    std::int64_t seconds = 0;
    in >> calendar_word >> epoch_text >> seconds;
    std::int64_t boundary = 0;
    const bool is_of_months = static_cast<bool>(in >> boundary);
    const auto calendar = pileus::parse_calendar(calendar_word);
    const auto epoch = pileus::parse_date(epoch_text);
    if (!calendar || !epoch) {
      std::cout << "not understood\n";
    } else if (const std::string problem = pileus::date_problem(*calendar, *epoch); !problem.empty()) {
      std::cout << problem << "\n";
    } else if (is_of_months) {
      const pileus::Boundaries boundaries(pileus::Frequency(seconds, *calendar, *epoch));
      const double at = boundaries.at(boundary);
      std::cout << static_cast<std::int64_t>(at) << " " << boundaries.last_at_or_before(at - 1, 0) << " "
                << boundaries.first_at_or_after(at, 0) << " " << boundaries.first_at_or_after(at + 1, 0)
                << "\n";
    } else {
      const pileus::Date later = pileus::seconds_later(*calendar, *epoch, seconds);
      std::cout << pileus::text(later) << " " << pileus::seconds_between(*calendar, *epoch, later) << "\n";
    }
  }
}
