// Reads lines "CALENDAR YEAR-MONTH-DAYTHH:MM:SS SECONDS" and answers each with the date so many seconds
// later, and the seconds from the first date to that one; or with why the date does not exist.

#include <iostream>
#include <sstream>
#include <string>

#include "core/calendar.h"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string calendar_word, epoch_text;
    std::int64_t seconds = 0;
    in >> calendar_word >> epoch_text >> seconds;
    const auto calendar = pileus::parse_calendar(calendar_word);
    const auto epoch = pileus::parse_date(epoch_text);
    if (!calendar || !epoch) {
      std::cout << "not understood\n";
    } else if (const std::string problem = pileus::date_problem(*calendar, *epoch); !problem.empty()) {
      std::cout << problem << "\n";
    } else {
      const pileus::Date later = pileus::seconds_later(*calendar, *epoch, seconds);
      std::cout << pileus::text(later) << " " << pileus::seconds_between(*calendar, *epoch, later) << "\n";
    }
  }
}
