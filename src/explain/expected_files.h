#pragma once
// Predicts which files a run publishes and how large they are, from the Plan and the steps of the run alone.
// It lays a file out with the calls that its owner would make, but without the numbers, in a folder that is
// removed again: so the size is that of the file that the run writes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/step.h"
#include "formats/format.h"
#include "plan/plan.h"

namespace pileus::explain {

/// The steps that a run is assumed to have.
struct Steps {
  std::vector<Step> steps;
  double start_time_s = 0;
  bool is_whole_run = false;  ///< true: the last step ends the run; false: others follow
};

/// Steps of one length. With a count they are the whole run. Without one there are enough for the first file
/// of every series that follows the time or the steps, but at most `kMostSteps`.
Steps even_steps(const Plan& plan, double timestep_s, double start_time_s, std::optional<std::int64_t> count);

/// The steps of a whole run with these lengths.
Steps uneven_steps(const std::vector<double>& lengths_s, double start_time_s);

/// The same steps after the state at the start, which is a step of length 0.
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
  /// Without compressed data; none if the disk had no space for the layout.
  std::optional<std::uint64_t> size_bytes;
  std::uint64_t packed_bytes = 0;               ///< size of the data to compress, before it is compressed
  std::uint64_t parts_bytes = 0;                ///< numbers in parts of servers that are not compressed
  std::optional<std::uint64_t> most_bytes;      ///< of one of messages: if nothing is compressed
  std::vector<std::uint64_t> placements_bytes;  ///< size of each message that tells a writer where records
                                                ///< lie
};

/// Ordered by series, and by time in each series.
std::vector<ExpectedFile> expected_files(const Plan& plan, const Steps& steps);

}  // namespace pileus::explain
