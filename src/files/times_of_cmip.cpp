#include "files/times_of_cmip.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace pileus {
namespace {

constexpr std::string_view kSeconds = "seconds since ", kDays = "days since ";
constexpr double kDay_s = 86400;

std::string* units_of(std::vector<FileAttribute>& attributes) {
  const auto found = std::ranges::find(attributes, "units", &FileAttribute::name);
  return found == attributes.end() ? nullptr : std::get_if<std::string>(&found->value);
}

}  // namespace

void count_days(TimeAxis& axis) {
  std::string* const units = units_of(axis.attributes);
  if (units != nullptr && units->starts_with(kSeconds)) units->replace(0, kSeconds.size(), kDays);
}

std::array<double, 3> numbers_of(const TimeAxis& axis, double time_s, double begin_s, double end_s) {
  const auto found = std::ranges::find(axis.attributes, "units", &FileAttribute::name);
  const auto* const units =
      found == axis.attributes.end() ? nullptr : std::get_if<std::string>(&found->value);
  if (units == nullptr || !units->starts_with(kDays)) return {time_s, begin_s, end_s};
  const double at_s = axis.has_bounds ? begin_s + (end_s - begin_s) / 2 : time_s;
  return {at_s / kDay_s, begin_s / kDay_s, end_s / kDay_s};
}

}  // namespace pileus
