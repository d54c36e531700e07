#pragma once
// What a variable of CMIP is in time: how often, what is done, and how its files name their times.

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace pileus {

struct CmipTime {
  bool is_fixed = false;  ///< it never changes
  Duration frequency;
  std::vector<StageConfig> stages;
  std::string manipulation;  ///< the last one
  std::string range;         ///< the key that stands for the times in names of files; "" of what is fixed
};

/// From "mon" and "area: time: mean". `why_not`: what Pileus does not do, where there is no result.
std::optional<CmipTime> time_of_cmip(const std::string& frequency, const std::string& cell_methods,
                                     const Location& where, std::string& why_not);

}  // namespace pileus
