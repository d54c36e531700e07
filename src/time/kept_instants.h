#pragma once
// The instants of an axis that have no record yet and get one if the file's trigger begins soon: a cursor
// keeps them, and their values wait in windows of their own (docs/decisions/086). Pure arithmetic on steps.

#include <cstdint>
#include <deque>
#include <vector>

#include "core/encoder.h"
#include "core/step.h"
#include "plan/plan.h"

namespace pileus {

/// One of them, and the window in which its values are.
struct KeptInstant {
  std::int64_t step = 0;
  double time_s = 0;
  std::int64_t period = 0;  ///< of the file series
  std::uint16_t window = 0;
};

class KeptInstants {
 public:
  explicit KeptInstants(const Lookback& lookback) : lookback_(lookback) {}

  const Lookback& lookback() const { return lookback_; }
  /// Whether the axis has any at all, ever.
  bool are_wanted() const { return lookback_.records > 0; }
  bool are_none() const { return kept_.empty(); }
  /// REQUIRES: there are some.
  std::int64_t first_period() const { return kept_.front().period; }

  /// Those that came too early for a record to have them before it, which are forgotten. The next record may
  /// be of this step, or where it `is_kept` of the one behind it, and there is room for it then.
  std::vector<KeptInstant> forget(const Step& step, bool is_kept);
  /// The window in which its values are kept. REQUIRES: forget() was called for it.
  std::uint16_t keep(std::int64_t step, double time_s, std::int64_t period);
  /// All of them, which become records.
  std::vector<KeptInstant> release();

  void encode(Encoder& out) const;
  /// Errors: TransportError where that is no state.
  void restore(Decoder& in);

 private:
  bool is_too_old(const KeptInstant& one, const Step& step, bool is_kept) const;

  Lookback lookback_;
  std::deque<KeptInstant> kept_;  ///< ascending
  std::int64_t count_ = 0;        ///< of all that were ever kept
};

}  // namespace pileus
