#pragma once
// Write periods of a series of files as ranges, so that a long run does not make them grow.

#include <cstdint>
#include <functional>
#include <map>

#include "core/encoder.h"

namespace pileus {

/// Periods of a series, as ranges: thousands that come one after the other take no more memory than one.
class Periods {
 public:
  void add(std::int64_t period);
  bool contains(std::int64_t period) const;
  /// Whether any of these was added.
  bool contains_any(std::int64_t first, std::int64_t last) const;
  /// Periods between two ranges count as added, where `is_skipped(first, last)` says of them that they never
  /// had a file: steps that are longer than a period would leave a range for each file otherwise.
  void join_where(const std::function<bool(std::int64_t, std::int64_t)>& is_skipped);
  /// The first and the last of each, ascending.
  const std::map<std::int64_t, std::int64_t>& ranges() const { return last_of_; }

  void encode(Encoder& out) const;
  /// Errors: TransportError.
  static Periods decode(Decoder& in);
  friend bool operator==(const Periods&, const Periods&) = default;

 private:
  std::map<std::int64_t, std::int64_t> last_of_;  ///< by the first of a range
};

}  // namespace pileus
