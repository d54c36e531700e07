#pragma once
// The time axes that get no record of a step. Server 0 decides it before anything is made of the step, and
// the clock brings it, so that all servers agree.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "core/encoder.h"
#include "core/error.h"
#include "core/ids.h"

namespace pileus {

enum class WhyDropped : std::uint8_t {
  trigger = 1,  ///< the trigger of its file is off: there was to be no record
  asked,        ///< somebody asked for it while the run goes
  memory        ///< servers have none for it
};

class DroppedAxes {
 public:
  struct Axis {
    ScheduleId axis;
    WhyDropped why;
    friend bool operator==(const Axis&, const Axis&) = default;
  };

  DroppedAxes() = default;
  DroppedAxes(std::initializer_list<Axis> axes) {
    for (const Axis& one : axes) add(one.axis, one.why);
  }

  /// Of several reasons the first one counts.
  void add(ScheduleId axis, WhyDropped why) {
    if (!axis.is_valid() || has(axis)) return;
    if (axis.index >= whys_.size()) whys_.resize(std::size_t{axis.index} + 1, 0);
    whys_[axis.index] = static_cast<std::uint8_t>(why);
    axes_.push_back({axis, why});
  }
  void clear() {
    for (const Axis& one : axes_) whys_[one.axis.index] = 0;
    axes_.clear();
  }

  bool has(ScheduleId axis) const { return axis.index < whys_.size() && whys_[axis.index] != 0; }
  std::optional<WhyDropped> why(ScheduleId axis) const {
    return has(axis) ? std::optional(static_cast<WhyDropped>(whys_[axis.index])) : std::nullopt;
  }
  bool empty() const { return axes_.empty(); }
  /// In the order in which they were added.
  const std::vector<Axis>& axes() const { return axes_; }

  void encode(Encoder& out) const {
    out.put(static_cast<std::uint64_t>(axes_.size()));
    for (const Axis& one : axes_) {
      out.put(one.axis.index);
      out.put(static_cast<std::uint8_t>(one.why));
    }
  }
  /// Errors: TransportError.
  static DroppedAxes decode(Decoder& in) {
    DroppedAxes dropped;
    for (std::size_t left = in.get_length(kBytesOfAxis); left > 0; --left) {
      const ScheduleId axis(in.get<std::uint32_t>());
      const auto why = in.get<std::uint8_t>();
      if (why < 1 || why > 3 || axis.index > kMostAxes)
        throw TransportError("the clock leaves out records of no axis, or for no reason");
      dropped.add(axis, static_cast<WhyDropped>(why));
    }
    return dropped;
  }

  friend bool operator==(const DroppedAxes& one, const DroppedAxes& other) {
    return one.axes_ == other.axes_;
  }

 private:
  static constexpr std::size_t kBytesOfAxis = sizeof(std::uint32_t) + sizeof(std::uint8_t);
  static constexpr std::uint32_t kMostAxes = 1U << 24;  ///< a wrong number takes no memory

  std::vector<Axis> axes_;
  std::vector<std::uint8_t> whys_;  ///< by axis; 0 where it is not dropped
};

/// Records that a file lacks.
struct DroppedRecords {
  std::int64_t asked = 0, for_memory = 0;

  std::int64_t all() const { return asked + for_memory; }
  friend bool operator==(const DroppedRecords&, const DroppedRecords&) = default;
};

}  // namespace pileus
