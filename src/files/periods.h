#pragma once
// Write periods of a series of files as ranges, so that a long run does not make them grow.

#include <cstdint>
#include <map>

#include "core/encoder.h"

namespace pileus {

/// Periods of a series, as ranges: thousands that come one after the other take no more memory than one.
class Periods {
 public:
  void add(std::int64_t period);
  bool contains(std::int64_t period) const;
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
