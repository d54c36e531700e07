#include "time/day_bins.h"

#include <algorithm>
#include <cmath>

namespace pileus {
namespace {

constexpr double kDay_s = 86400;

}  // namespace

std::int64_t DayBins::bin_of(std::int64_t number) const {
  const std::int64_t bin = number % diurnal_.bins;
  return bin < 0 ? bin + diurnal_.bins : bin;
}

double DayBins::edge(std::int64_t number) const {
  const std::int64_t bin = bin_of(number);
  const auto day = static_cast<double>((number - bin) / diurnal_.bins);
  const double in_day_s = static_cast<double>(bin) * kDay_s / static_cast<double>(diurnal_.bins);
  return diurnal_.midnight_s + day * kDay_s + in_day_s;
}

std::int64_t DayBins::last_edge_at_or_before(double time_s) const {
  const double days = (time_s - diurnal_.midnight_s) / kDay_s;
  auto number = static_cast<std::int64_t>(std::floor(days * static_cast<double>(diurnal_.bins)));
  while (edge(number + 1) <= time_s) ++number;
  while (edge(number) > time_s) --number;
  return number;
}

double DayBins::snapped(double time_s, double tolerance_s) const {
  const double near = edge(last_edge_at_or_before(time_s + tolerance_s));
  return std::abs(near - time_s) <= tolerance_s ? near : time_s;
}

std::vector<DayBins::Share> DayBins::shares(double begin_s, double end_s) const {
  std::vector<Share> shares;
  if (const double days = std::floor((end_s - begin_s) / kDay_s); days > 0) {
    for (std::int64_t bin = 0; bin < diurnal_.bins; ++bin)
      shares.push_back({bin, days * (kDay_s / static_cast<double>(diurnal_.bins))});
    begin_s += days * kDay_s;
  }
  if (begin_s >= end_s) return shares;
  for (std::int64_t k = last_edge_at_or_before(begin_s); edge(k) < end_s; ++k)
    shares.push_back({bin_of(k), std::min(end_s, edge(k + 1)) - std::max(begin_s, edge(k))});
  return shares;
}

std::vector<DayBins::Part> DayBins::parts(double begin_s, double end_s) const {
  std::vector<Part> parts;
  const std::int64_t first = last_edge_at_or_before(begin_s);
  for (std::int64_t k = first; k < first + diurnal_.bins && edge(k) < end_s; ++k) {
    const double begin = std::max(begin_s, edge(k));
    const double end_of_first = std::min(end_s, edge(k + 1));
    const double later_days = std::ceil((end_s - edge(k)) / kDay_s) - 1;
    const double end = std::min(end_s, edge(k + 1) + later_days * kDay_s);
    parts.push_back({bin_of(k), (begin + end_of_first) / 2, begin, end});
  }
  return parts;
}

}  // namespace pileus
