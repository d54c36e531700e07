#pragma once
// What is done in time, as a configuration writes it: "averaged", "averaged over 24 h", or a chain such as
// "maximum over 1 d, averaged". Pure functions on text.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace pileus {

/// A stage as it is written. `period` is "" where there is no "over".
struct WrittenStage {
  std::string name, period;
};
std::vector<WrittenStage> split_stages(std::string_view text);

/// What is wrong with `text` as stages of these names, whatever the output_frequency; "" if nothing.
std::string stages_problem(std::string_view text, std::span<const std::string> names);

/// What is wrong with the periods together; "" if nothing. Whether months begin where seconds end is known
/// with the calendar alone. REQUIRES: the output_frequency is given.
std::string periods_problem(const FileIncludeConfig& include);

/// The times of the output_frequency that `over` has. REQUIRES: no problem.
std::int64_t running_windows(const FileIncludeConfig& include);

}  // namespace pileus
