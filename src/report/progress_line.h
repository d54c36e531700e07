#pragma once
// How far the model is, said every so often by server 0 for a person who looks. The server's lane owns it.

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "core/step.h"

namespace pileus {

class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// `period_s`: between two lines, not less than a second; 0: none is wanted.
  explicit ProgressLine(double period_s) : period_s_(period_s > 0 ? std::max(period_s, 1.0) : 0) {}

  /// The model time at which the model ends, in s; 0: nobody says.
  void set_end(double end_s) { end_s_ = end_s; }

  /// A line if it is time for one; the first after a whole period. Speeds are those since the last line, and
  /// what is left is reckoned with them.
  std::optional<std::string> at(const Step& step, Clock::time_point now);

 private:
  double period_s_, end_s_ = 0;
  std::optional<Clock::time_point> last_;
  double last_model_time_s_ = 0;
};

}  // namespace pileus
