#pragma once
// What travels between a model rank and its server. A frame begins with its kind; a parcel has a fixed layout
// that is written in place, everything else goes through the Encoder.

#include <cstdint>

#include "core/step.h"
#include "transport/endpoint.h"

namespace pileus {

/// Kinds below 100 travel between clients and servers; the servers' own begin at 100 (messaging/frames.h).
enum class FrameKind : std::uint32_t {
  // client → server
  registration = 1,  ///< RankDescription, encoded
  clock = 2,         ///< ClockFrame: rank 0's step, sent at every step to its own server, in kStepChannel
  parcel = 3,        ///< ParcelHeader, then FieldEntry × field_count, then the fields
  finish = 4,        ///< FinishFrame
  marker = 5,        ///< MarkerFrame: after all parcels of a step whose state is kept, in kStepChannel
  // server → client
  demand = 50,    ///< Demand, then the limits of steps, encoded
  refusal = 51,   ///< a text: why the run cannot start
  stopping = 53,  ///< a text: why the model should end the run
  farewell = 52,  ///< u32 pileus_status, a text: the run is over, everything that will be published is
};

inline constexpr std::uint32_t kWireVersion = 12;

/// Parcels of the group g travel in the channel g + 1. What comes with steps beside them, clock and markers,
/// has a channel too, so that a model whose steps want nothing waits for servers that do not follow.
inline constexpr Channel kStepChannel = UINT32_MAX;

/// Where in a parcel a field begins is a multiple of this.
inline constexpr std::size_t kFieldAlignment = 64;

/// Where a long field begins is a multiple of a page. Long arrays of a model begin a few bytes into one; a
/// copy of 192 MiB or more to where a page is a few bytes further takes three times as long on AMD's
/// processors: the C library's loop then reads where, but for the page, it has just written.
inline constexpr std::size_t kLongField = std::size_t{1} << 20, kLongFieldAlignment = 4096;

struct ClockFrame {
  FrameKind kind = FrameKind::clock;
  Step step;
  double start_time_s = 0;  ///< model time before the first step of this run
};

struct ParcelHeader {
  FrameKind kind = FrameKind::parcel;
  std::uint32_t group = 0;  ///< index into Demand::groups
  Step step;
  double start_time_s = 0;
  std::uint64_t field_count = 0;
};

struct FieldEntry {
  std::uint32_t field = 0;       ///< index into GroupDemand::fields
  std::uint32_t is_present = 0;  ///< 0: wanted but not put
  std::uint64_t offset = 0;      ///< from the parcel's first byte
  std::uint64_t size_bytes = 0;
};

struct MarkerFrame {
  FrameKind kind = FrameKind::marker;
  std::uint32_t unused = 0;
  std::int64_t step = 0;  ///< index; the rank has handed over everything up to its end
};

struct FinishFrame {
  FrameKind kind = FrameKind::finish;
  std::uint32_t is_broken_off = 0;  ///< the model let go without finishing
  std::int64_t last_step = 0;       ///< index of the last step handed over; -1 if there was none
  double wall_s = 0;                ///< since commit
  double inside_s = 0;              ///< of these inside Pileus
  double waiting_s = 0;             ///< of these waiting for room
  double put_s = 0;                 ///< of these in put, without waiting
  std::uint64_t bytes = 0;          ///< handed over
  std::int64_t steps = 0;           ///< handed over
};

}  // namespace pileus
