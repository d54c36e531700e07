#include "time/kept_instants.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "plan/step_limits.h"

namespace pileus {

bool KeptInstants::is_too_old(const KeptInstant& one, const Step& step, bool is_kept) const {
  if (lookback_.steps > 0) return step.index + (is_kept ? 1 : 0) - one.step > lookback_.steps;
  return step.time - one.time_s > lookback_.time_s + kBoundaryTolerance * step.length;
}

std::vector<KeptInstant> KeptInstants::forget(const Step& step, bool is_kept) {
  const auto most = static_cast<std::size_t>(lookback_.records - (is_kept ? 1 : 0));
  std::vector<KeptInstant> forgotten;
  while (!kept_.empty() && (is_too_old(kept_.front(), step, is_kept) || kept_.size() > most)) {
    forgotten.push_back(kept_.front());
    kept_.pop_front();
  }
  return forgotten;
}

std::uint16_t KeptInstants::keep(std::int64_t step, double time_s, std::int64_t period) {
  const auto window = static_cast<std::uint16_t>(1 + count_++ % lookback_.records);
  kept_.push_back({step, time_s, period, window});
  return window;
}

std::vector<KeptInstant> KeptInstants::release() {
  std::vector<KeptInstant> all(kept_.begin(), kept_.end());
  kept_.clear();
  return all;
}

void KeptInstants::encode(Encoder& out) const {
  out.put(count_);
  out.put(static_cast<std::uint64_t>(kept_.size()));
  for (const KeptInstant& one : kept_) {
    out.put(one.step);
    out.put(one.time_s);
    out.put(one.period);
  }
}

/// They lie in the windows of the last ones that were kept.
void KeptInstants::restore(Decoder& in) {
  count_ = in.get<std::int64_t>();
  const auto number = static_cast<std::int64_t>(in.get_length(3 * sizeof(std::int64_t)));
  constexpr std::int64_t kMost = std::int64_t{1} << 62U;  // far from where numbers end
  if (number > lookback_.records || count_ < number || count_ > kMost)
    throw TransportError("an axis of a checkpoint keeps more instants than it has");
  const std::int64_t count = std::exchange(count_, count_ - number);
  kept_.clear();
  while (count_ < count) {
    const auto step = in.get<std::int64_t>();
    const auto time_s = in.get<double>();
    const auto period = in.get<std::int64_t>();
    const bool is_later = kept_.empty() ? std::isfinite(time_s) && step >= 0
                                        : step >= kept_.back().step && time_s > kept_.back().time_s &&
                                              period >= kept_.back().period;
    if (!is_later || step > kMost) throw TransportError("an axis of a checkpoint keeps instants in no order");
    keep(step, time_s, period);
  }
}

}  // namespace pileus
