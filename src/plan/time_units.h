#pragma once
// The attributes of numbers that are model times: of the time axes of files, and of variables that hold
// times.

#include <string>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// units and calendar; units_metadata where CF asks whether there are leap seconds (section 4.4.2).
inline std::vector<Attribute> units_of_time(const PlannedTime& time) {
  std::vector<Attribute> attributes = {{"units", "seconds since " + text(time.epoch)},
                                       {"calendar", std::string(name(time.calendar))}};
  const bool may_have_leap_seconds = time.calendar == Calendar::standard ||
                                     time.calendar == Calendar::proleptic_gregorian ||
                                     time.calendar == Calendar::julian;
  if (may_have_leap_seconds) attributes.push_back({"units_metadata", "leap_seconds: none"});
  return attributes;
}

}  // namespace pileus
