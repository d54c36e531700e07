#pragma once
// Of which steps a field has values, or a result is made.

#include <cstdint>
#include <optional>
#include <string>

#include "core/step.h"

namespace pileus {

/// The steps whose index is a multiple of a number of steps, or the first step at or after each multiple of a
/// time.
struct Cadence {
  std::int64_t steps = 1;  ///< 0: none but the final one
  Frequency every;         ///< in seconds; if it is given, `steps` is 1

  Cadence() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number of steps is a cadence
  Cadence(std::int64_t every_steps) : steps(every_steps) {}
  static Cadence of_time(double every_s) {
    Cadence cadence;
    cadence.every = every_s;
    return cadence;
  }

  bool is_every_step() const { return steps == 1 && !every.is_given(); }
  bool is_final_only() const { return steps == 0; }
  bool is_in_time() const { return every.is_given(); }
  /// It follows from the step alone, so that all who are shown the step agree.
  bool takes(const Step& step) const;
  friend bool operator==(const Cadence&, const Cadence&) = default;
};

/// "every 5 steps", "the first step after each 30 s".
std::string text(const Cadence& cadence);

/// The steps that both take. nullopt where none of them could be told: multiples beyond the largest number,
/// or steps and times.
std::optional<Cadence> common_cadence(const Cadence& a, const Cadence& b);

}  // namespace pileus
