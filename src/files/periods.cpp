#include "files/periods.h"

#include <iterator>
#include <vector>

#include "core/error.h"

namespace pileus {

void Periods::add(std::int64_t period) {
  if (contains(period)) return;
  auto range = last_of_.emplace(period, period).first;
  if (range != last_of_.begin() && std::prev(range)->second == period - 1) {
    range = std::prev(range);
    range->second = period;
    last_of_.erase(period);
  }
  const auto next = std::next(range);
  if (next == last_of_.end() || next->first != period + 1) return;
  range->second = next->second;
  last_of_.erase(next);
}

bool Periods::contains(std::int64_t period) const { return contains_any(period, period); }

bool Periods::contains_any(std::int64_t first, std::int64_t last) const {
  const auto next = last_of_.upper_bound(last);
  return next != last_of_.begin() && std::prev(next)->second >= first;
}

void Periods::join_where(const std::function<bool(std::int64_t, std::int64_t)>& is_skipped) {
  if (last_of_.empty()) return;
  for (auto range = last_of_.begin(), next = std::next(range); next != last_of_.end();) {
    if (!is_skipped(range->second + 1, next->first - 1)) {
      range = next++;
    } else {
      range->second = next->second;
      next = last_of_.erase(next);
    }
  }
}

void Periods::encode(Encoder& out) const {
  std::vector<std::int64_t> ranges;
  for (const auto& [first, last] : last_of_) ranges.insert(ranges.end(), {first, last});
  out.put(ranges);
}

Periods Periods::decode(Decoder& in) {
  Periods periods;
  const auto ranges = in.get_vector<std::int64_t>();
  bool is_possible = ranges.size() % 2 == 0;
  for (std::size_t i = 0; is_possible && i < ranges.size(); i += 2) {
    is_possible = ranges[i] <= ranges[i + 1] && (i == 0 || ranges[i - 1] < ranges[i]);
    periods.last_of_[ranges[i]] = ranges[i + 1];
  }
  if (!is_possible) throw TransportError("it has impossible periods");
  return periods;
}

}  // namespace pileus
