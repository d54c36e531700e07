#pragma once
// Which files a run publishes and how large they are, from the Plan and the steps of the run alone. A file is
// laid out by the calls that its owner would make, in a folder that goes again, without its numbers: the size
// is that of the file that the run writes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/step.h"
#include "formats/format.h"
#include "plan/plan.h"

namespace pileus::explain {

/// The steps that a run is thought to have.
struct Steps {
  std::vector<Step> steps;
  double start_time_s = 0;
  bool is_whole_run = false;  ///< the last one ends the run; false: others follow
};

/// Steps of one length. With a count, the whole run; without one, enough for the first file of every series
/// that follows the time or the steps, at most `kMostSteps`.
Steps even_steps(const Plan& plan, double timestep_s, double start_time_s, std::optional<std::int64_t> count);

/// The steps of a whole run, of these lengths.
Steps uneven_steps(const std::vector<double>& lengths_s, double start_time_s);

/// The same after the state at the start, a step of no length.
Steps with_initial_state(Steps steps);

inline constexpr std::int64_t kMostSteps = 1'000'000;

struct ExpectedFile {
  FileId file;
  std::int64_t period = 0;
  std::string name;
  std::vector<Index> records;  ///< by axis
  bool is_complete = false;    ///< no later step adds to it
  double first_record_s = 0, last_record_s = 0;
  double complete_s = 0;  ///< model time of the step after which it is written
  /// Without what is compressed; none where the disk did not bear the layout.
  std::optional<std::uint64_t> size_bytes;
  std::uint64_t packed_bytes = 0;               ///< of what is compressed, before it is
  std::vector<std::uint64_t> placements_bytes;  ///< of each message that tells a writer where records lie
};

/// In the order of the series, each in the order of time.
std::vector<ExpectedFile> expected_files(const Plan& plan, const Steps& steps);

}  // namespace pileus::explain
