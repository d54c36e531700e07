#include "distributions/sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr int kKeyAt = 32;

/// In the order of numbers, and 0 once.
std::uint64_t in_order(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double number(std::uint64_t ordered) {
  return std::bit_cast<double>((ordered & kSign) != 0 ? ordered & ~kSign : ~ordered);
}

std::uint32_t key_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> kKeyAt); }
std::uint32_t count_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }
std::uint64_t entry(std::uint32_t key, std::uint32_t count) { return std::uint64_t{key} << kKeyAt | count; }

}  // namespace

void Sketch::add(double value) {
  if (std::isnan(value)) has_nan_ = true;
  if (has_nan_) return;
  ++count_;
  const std::uint64_t ordered = in_order(value);
  if (!has_classes_ && kept_.size() == kMost) begin_classes();
  if (has_classes_)
    add_class(static_cast<std::uint32_t>(ordered >> kKeyAt) >> dropped_, 1);
  else
    kept_.push_back(ordered);
}

void Sketch::begin_classes() {
  has_classes_ = true;
  std::vector<std::uint64_t> numbers;
  numbers.swap(kept_);
  kept_.reserve(kMost);
  for (const std::uint64_t one : numbers) add_class(static_cast<std::uint32_t>(one >> kKeyAt), 1);
}

void Sketch::add_class(std::uint32_t key, std::uint32_t count) {
  for (;; key >>= 1) {
    const auto at = std::ranges::lower_bound(kept_, key, {}, key_of);
    if (at != kept_.end() && key_of(*at) == key) {
      *at += count;
      return;
    }
    if (kept_.size() < kMost) {
      kept_.insert(at, entry(key, count));
      return;
    }
    widen();
  }
}

/// Two classes side by side become one.
void Sketch::widen() {
  ++dropped_;
  std::size_t end = 0;
  for (const std::uint64_t one : kept_) {
    const std::uint32_t key = key_of(one) >> 1;
    if (end > 0 && key_of(kept_[end - 1]) == key)
      kept_[end - 1] += count_of(one);
    else
      kept_[end++] = entry(key, count_of(one));
  }
  kept_.resize(end);
}

double Sketch::middle(std::uint32_t key) const {
  const int width = kKeyAt + dropped_;
  const std::uint64_t first = std::uint64_t{key} << width;
  const double low = number(first), high = number(first | ((std::uint64_t{1} << width) - 1));
  if (low == 0 || !std::isfinite(high)) return std::isnan(low) ? high : low;
  return std::isfinite(low) ? low / 2 + high / 2 : high;
}

double Sketch::quantile(double share) const {
  if (has_nan_) return std::numeric_limits<double>::quiet_NaN();
  double found = 0;
  if (!has_classes_) {
    std::vector<double> values(kept_.size());
    std::ranges::transform(kept_, values.begin(), number);
    find_quantiles(values, {&share, 1}, {&found, 1});
    return found;
  }
  const Place place(static_cast<std::int64_t>(count_), share);
  auto below = static_cast<std::uint64_t>(place.below);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const std::uint32_t count = count_of(kept_[i]);
    if (below >= count) {
      below -= count;
      continue;
    }
    const bool is_same = below + 1 < count || i + 1 == kept_.size();
    return on_line(middle(key_of(kept_[i])), middle(key_of(kept_[is_same ? i : i + 1])), place.beyond);
  }
  return found;
}

void Sketch::encode(Bytes& out) const {
  Encoder encoder(out);
  encoder.put(count_);
  encoder.put(dropped_);
  encoder.put(has_classes_);
  encoder.put(has_nan_);
  encoder.put(static_cast<std::uint64_t>(kept_.size()));
  for (const std::uint64_t one : kept_) encoder.put(one);
}

Sketch Sketch::decode(std::span<const std::byte>& in) {
  Decoder decoder(in);
  Sketch sketch;
  sketch.count_ = decoder.get<std::uint64_t>();
  sketch.dropped_ = decoder.get<std::uint8_t>();
  sketch.has_classes_ = decoder.get<std::uint8_t>() != 0;
  sketch.has_nan_ = decoder.get<std::uint8_t>() != 0;
  const auto size = decoder.get<std::uint64_t>();
  if (size > kMost || sketch.dropped_ >= kKeyAt) throw TransportError("the state of a percentile is damaged");
  if (size == 0 && sketch.count_ > 0 && !sketch.has_nan_)
    throw TransportError("the state of a percentile is damaged");
  sketch.kept_.reserve(size > kMost / 2 ? kMost : size);  // so that it grows no further than it would have
  for (std::uint64_t i = 0; i < size; ++i) sketch.kept_.push_back(decoder.get<std::uint64_t>());
  in = decoder.rest();
  return sketch;
}

}  // namespace pileus::distributions
