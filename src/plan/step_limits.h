#pragma once
// How long a step may be for the frequencies of a run. Every rank and server that is shown the same steps
// decides alike, so that a step is refused before anything of it is sent.

#include <cstdint>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "plan/demand.h"

namespace pileus {

struct Plan;

/// No model has so long steps: what ends as many records was meant in other units.
inline constexpr std::int64_t kMostRecordsOfAStep = 100'000;

/// What one frequency of the configuration bears.
struct StepLimit {
  Frequency frequency;  ///< given
  /// A step ends a record for each multiple of the frequency since the last of these samples; else it only
  /// counts the multiples from the model's time 0.
  bool ends_records = false;
  Need sampling;     ///< of which only the steps are asked
  std::string what;  ///< "mean of \"a.nc\" (io.xml:3:1), averaged each 10 s"
};

std::vector<StepLimit> step_limits(const Plan& plan);
void encode(const std::vector<StepLimit>& limits, Encoder& out);
/// Errors: TransportError when the bytes are not those of encode.
std::vector<StepLimit> decode_step_limits(Decoder& in);

class StepLimits {
 public:
  StepLimits() = default;
  /// `start_time_s`: before the first step that it is shown.
  StepLimits(std::vector<StepLimit> limits, double start_time_s);

  /// Why the step cannot be, "" if it can: how many records it would end, and of what.
  std::string problem(const Step& step) const;
  /// Order: by increasing step.
  void advance(const Step& step);

 private:
  std::vector<StepLimit> limits_;
  std::vector<double> last_s_;  ///< by limit: the last sample
};

}  // namespace pileus
