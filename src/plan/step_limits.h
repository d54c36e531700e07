#pragma once
// How long a step may be, given the frequencies of a run. Every rank and server that is shown the same steps
// decides alike, so that a step is refused before anything of it is sent.

#include <cstdint>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "plan/demand.h"

namespace pileus {

struct Plan;

/// No model has such long steps: a step that ends so many records was meant in other units.
inline constexpr std::int64_t kMostRecordsOfAStep = 100'000;

/// The limit that one frequency of the configuration sets.
struct StepLimit {
  Frequency frequency;  ///< given
  /// How many records a step ends for each multiple of the frequency since the last of these samples.
  /// 0: the step only counts the multiples from model time 0.
  std::int64_t ends_records = 0;
  Need sampling;     ///< which steps take samples
  std::string what;  ///< "mean of \"a.nc\" (io.xml:3:1), averaged each 10 s"
};

std::vector<StepLimit> step_limits(const Plan& plan);
void encode(const std::vector<StepLimit>& limits, Encoder& out);
/// Errors: TransportError when the bytes are not those of encode.
std::vector<StepLimit> decode_step_limits(Decoder& in);

class StepLimits {
 public:
  StepLimits() = default;
  /// `start_time_s`: model time before the first step that it is shown.
  StepLimits(std::vector<StepLimit> limits, double start_time_s);

  /// Why the step is refused: how many records it would end, and of what. "" if it is fine.
  std::string problem(const Step& step) const;
  /// Order: by increasing step.
  void advance(const Step& step);

 private:
  std::vector<StepLimit> limits_;
  std::vector<double> last_s_;  ///< by limit: the time of the last sample
};

}  // namespace pileus
