#pragma once
// A length of model time as a configuration gives it.

#include <cstdint>

#include "core/location.h"
#include "core/months.h"

namespace pileus {

/// Seconds, or months, which have no length before there is a calendar and an epoch.
struct Duration {
  double seconds = 0;
  std::int64_t months = 0;  ///< 0: `seconds` count
  Location where = {};      ///< place of the attribute's value
  int from_month = 0;       ///< of months: as Months::from

  Months in_months() const { return {months, from_month}; }
  bool is_given() const { return seconds > 0 || months > 0; }
};

}  // namespace pileus
