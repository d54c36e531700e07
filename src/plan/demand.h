#pragma once
// What the servers want from the model, and when. The client knows nothing else of the Plan.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cadence.h"
#include "core/element_type.h"
#include "core/encoder.h"
#include "core/extents.h"
#include "core/ids.h"
#include "core/reduction.h"
#include "core/step.h"

namespace pileus {

/// One reason for taking samples. It looks at the steps that `cadence` takes. It takes all of them, or with a
/// frequency only the first one at or after each boundary (instantaneous output), or the first one so long
/// after the last that it took. The state at the start is a sample whatever its index.
struct Need {
  Cadence cadence;              ///< of none: no step but the final one
  Frequency frequency;          ///< none: every sample
  bool at_end = false;          ///< the final step counts as if it were a multiple
  bool takes_last = false;      ///< the final step is wanted between boundaries too
  bool at_checkpoints = false;  ///< instead of all this: every step whose state is kept
  bool skips_initial = false;   ///< windows: the state at the start, or at the end, stands for no time
  bool at_first = false;        ///< instead of all this: the first step of each run
  bool is_from_last = false;    ///< the frequency counts from the last step that was taken
  /// The time axis of a file whose records may be left out, whose reason this is alone; otherwise not valid.
  /// Only servers know it: which steps meet the need does not depend on it.
  ScheduleId droppable = {};
  bool is_sampled(const Step& step) const {
    if (at_first) return step.is_first != 0;
    if (skips_initial && (step.is_initial() || step.is_closing)) return false;
    if (at_checkpoints) return step.is_checkpoint != 0;
    return cadence.takes(step) || (at_end && step.is_final);
  }
  friend bool operator==(const Need&, const Need&) = default;
};

/// "every 2 steps, the first after each 10 s". Two needs have the same text exactly if they are met by the
/// same steps; checkpoints identify needs by these texts.
std::string text(const Need& need);

/// Tells which needs each step meets. All ranks and servers that are shown the same steps decide alike. A
/// step that meets no need may be left out without changing later answers.
class NeedTracker {
 public:
  NeedTracker(std::vector<Need> needs, double start_time_s);
  /// A tracker that goes on from the state of another. `passed`: the other's passed(), one for each need.
  NeedTracker(std::vector<Need> needs, std::vector<std::int64_t> passed);
  /// The state of a need if no step before `start_time_s` was shown to it.
  static std::int64_t passed_at(const Need& need, double start_time_s);
  /// Whether the state of a need may be `passed`, which comes from outside.
  static bool is_state(const Need& need, std::int64_t passed);

  /// REQUIRES: steps come by increasing index and time. A closing step, which comes last, meets what the step
  /// before it would have met as the final one, and did not meet.
  void advance(const Step& step);
  /// Whether the step last shown meets need `i`.
  bool is_met(std::size_t i) const { return met_[i]; }
  bool is_any_met(const std::vector<std::uint32_t>& needs) const;
  /// The state that later answers depend on: for each need the last boundary that was passed, or the bits of
  /// the time from which it counts.
  const std::vector<std::int64_t>& passed() const { return last_; }

 private:
  bool takes_so_long_after_last(const Need& need, const Step& step, std::int64_t& last) const;

  std::vector<Need> needs_;
  std::vector<std::int64_t> last_;  ///< passed()
  std::vector<bool> met_;
  std::int64_t step_ = -1;  ///< the index of the step last shown
};

/// The place where an interrupted run continues.
struct Continued {
  Step after;                        ///< the last step of the run before
  std::vector<std::int64_t> passed;  ///< NeedTracker::passed() after that step, by need
};

/// What a rank may hand over of a field in place of all of it, and how it makes that of its part: some of the
/// elements, cast, or Partials over some dimensions.
struct ExtractDemand {
  std::vector<std::uint32_t> needs;         ///< of what it is to servers; indices into Demand::needs
  ElementType type = ElementType::float64;  ///< of elements, on the wire
  std::int32_t significant_bits = 0;        ///< to which elements are rounded before they are cast; 0: all
  Extents first, count, step;               ///< of elements, by dimension of the part; empty: all of them

  bool is_reduced = false;
  Reduction reduction = Reduction::sum;
  std::vector<std::int32_t> axes;  ///< those that are reduced
  Extents extents;                 ///< of what is made: of the elements, or of all Partials
  Extents start;                   ///< of Partials: where this part of the field begins in them
  std::optional<double> missing;   ///< elements equal to it are left out

  /// What it takes in a parcel at most, for a part with these counts.
  std::uint64_t most_bytes(const Extents& part) const;
};

/// In place of a field: a table with offset and size in bytes of each extract, from the first byte of the
/// table; the offset is 0 where a step does not need it. Then the extracts.
struct ExtractEntry {
  std::uint64_t offset = 0, size_bytes = 0;
};
/// An extract begins at a multiple of so many bytes.
inline constexpr std::uint64_t kExtractAlignment = 64;
/// Where each extract begins, and where the last ends.
std::vector<std::uint64_t> extract_offsets(const std::vector<ExtractDemand>& extracts, const Extents& part);

struct FieldDemand {
  std::string name;
  ElementType type = ElementType::float64;  ///< on the wire
  bool is_optional = false;
  bool is_sent = true;               ///< this rank sends it
  std::vector<std::uint32_t> needs;  ///< indices into Demand::needs
  bool is_static = false;            ///< it travels only in the first step
  bool is_kept = false;              ///< it is static and the checkpoint has it, so it need not be put again
  /// Handed over in place of the field; empty: all of it is.
  std::vector<ExtractDemand> extracts = {};
  /// Whether they are for servers of another node alone: on the same one all of the field costs less.
  bool is_for_far_servers = false;
};

struct GroupDemand {
  std::string name;
  Cadence frequency;                ///< of none: at the end only
  std::vector<FieldDemand> fields;  ///< in the order of the wire
};

/// The reasons for a checkpoint, of which any number may be given. Model rank 0 tells the model when one is
/// due.
struct CheckpointReasons {
  std::int64_t steps = 0;            ///< from one checkpoint to the next; 0: not given
  Frequency frequency;               ///< in model time
  double wall_time_s = 0;            ///< from one checkpoint to the next; 0: not given
  std::vector<std::string> signals;  ///< words of core/signals.h; every rank catches them
};

/// The servers' answer to one rank's registration.
struct Demand {
  std::vector<Need> needs;
  std::vector<GroupDemand> groups;
  std::uint64_t budget_bytes = 0;  ///< the most bytes of parcels from this rank that may be under way
  std::optional<Continued> continued = {};
  CheckpointReasons checkpoints = {};
  /// A multiple of every number of steps in the run's frequencies; 0: it would be too large.
  std::int64_t common_steps = 1;

  void encode(Encoder& out) const;
  static Demand decode(Decoder& in);
};

}  // namespace pileus
