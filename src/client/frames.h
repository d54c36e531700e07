#pragma once
// The frames that travel between a model rank and its server. A frame begins with its kind. A parcel has a
// fixed layout and is written in place; all other frames go through the Encoder.

#include <cstdint>

#include "core/step.h"
#include "transport/endpoint.h"

namespace pileus {

/// Kinds below 100 travel between clients and servers; the servers' own begin at 100 (messaging/frames.h).
enum class FrameKind : std::uint32_t {
  // client → server
  registration = 1,  ///< version of the wire, component, a hash of the description, the rank's place
  question = 6,      ///< the same with options alone: what does the configuration want?
  description = 9,   ///< what is the same on ranks (core/model_ranks.h), if the server asks
  clock = 2,         ///< ClockFrame: rank 0's step, sent at every step to its own server, in kStepChannel
  parcel = 3,        ///< ParcelHeader, then FieldEntry × field_count, then the fields
  finish = 4,        ///< FinishFrame
  marker = 5,        ///< MarkerFrame: after all parcels of a step whose state is kept, in kStepChannel
  event = 11,        ///< a text: a word of rank 0 about the step that begins next, in kStepChannel
  points = 10,       ///< u32 index into RankDescription::points, then core/index_ranges.h: which of them the
                     ///< rank holds; for each, before the registration
  inputs = 12,       ///< encode_inputs (inputs/model_input.h): what the rank wants to be read for it; before
                     ///< the registration, where there is any
  records_wanted = 13,  ///< WantedRecords, after commit
  loan_question = 7,    ///< can the server read arrays there? (client/loan_frames.h)
  loan_end = 8,         ///< no array will be lent there any more
  // server → client
  demand = 50,              ///< Demand, then the limits of steps, encoded
  description_wanted = 56,  ///< the server knows nothing with the hash that the rank sent
  wants = 54,               ///< u8 1, Wants; or u8 0, a text: what is wrong with the configuration
  inputs_brought = 58,      ///< encode_brought: which inputs files bring, before the demand
  input_record = 59,        ///< RecordHead, then the values
  refusal = 51,             ///< a text: why the run cannot start
  checkpoint_wanted = 57,   ///< to rank 0: a trigger asks for a checkpoint
  stopping = 53,            ///< a text: why the model should end the run
  loan_answer = 55,         ///< whether it can read arrays there
  farewell = 52,  ///< u32 pileus_status, a text: the run is over, everything that will be published is
};

inline constexpr std::uint32_t kWireVersion = 25;

/// Parcels of the group g travel in the channel g + 1. Clock and markers, which come with the steps, have a
/// channel too, so that a model whose steps want nothing still waits for servers that fall behind.
inline constexpr Channel kStepChannel = UINT32_MAX;

/// A field begins at a multiple of this many bytes in its parcel.
inline constexpr std::size_t kFieldAlignment = 64;

/// A long field begins at a multiple of a page. A model's long arrays begin a few bytes into a page. Copying
/// 192 MiB or more to a few bytes further into a page takes three times as long on AMD's processors: the C
/// library's loop then reads from where, but for the page, it has just written.
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
  std::uint32_t field_count = 0;
  std::uint32_t waited_ms = 0;  ///< by the rank for memory, since commit
};

/// What a parcel has of a field that is wanted.
enum class Held : std::uint32_t {
  nothing,  ///< it was not put
  whole,
  extracts,   ///< in place of it, as ExtractEntry in plan/demand.h says
  first_loan  ///< or more: it is lent, by that loan
};

constexpr Held held_by_loan(std::uint32_t loan) {
  return static_cast<Held>(static_cast<std::uint32_t>(Held::first_loan) + loan);
}

struct FieldEntry {
  std::uint32_t field = 0;  ///< index into GroupDemand::fields
  Held held = Held::nothing;
  std::uint64_t offset = 0;  ///< from the parcel's first byte
  std::uint64_t size_bytes = 0;

  bool is_lent() const { return held >= Held::first_loan; }
  /// Which of the parcel's loans it is. REQUIRES: it is lent.
  std::uint32_t loan() const {
    return static_cast<std::uint32_t>(held) - static_cast<std::uint32_t>(Held::first_loan);
  }
};

/// A shorter field is copied where it could be lent, too: that takes a microsecond or so.
inline constexpr std::uint64_t kShortestLoan = 16384;
/// Where the first Loan lies, from the parcel's first byte: behind the entries. There is one for each field
/// that may be lent, each kLoanBytes long.
inline constexpr std::size_t kLoanBytes = 64;
constexpr std::uint64_t first_loan(std::uint64_t field_count) {
  const std::uint64_t entries = sizeof(ParcelHeader) + field_count * sizeof(FieldEntry);
  return (entries + kLoanBytes - 1) / kLoanBytes * kLoanBytes;
}

struct MarkerFrame {
  FrameKind kind = FrameKind::marker;
  std::uint32_t unused = 0;
  std::int64_t step = 0;  ///< index; the rank has handed over everything up to its end
};

struct FinishFrame {
  FrameKind kind = FrameKind::finish;
  std::uint32_t is_broken_off = 0;     ///< 1: the model released the run without finishing it
  std::int64_t last_step = 0;          ///< index of the last step handed over; -1 if there was none
  double wall_s = 0;                   ///< since commit
  double inside_s = 0;                 ///< part of wall_s spent inside Pileus
  double waiting_s = 0;                ///< part of inside_s spent waiting for memory
  double put_s = 0;                    ///< part of inside_s spent in put, without waiting
  std::uint64_t bytes = 0;             ///< number of bytes handed over
  std::int64_t steps = 0;              ///< number of steps handed over
  std::uint64_t lent_bytes = 0;        ///< part of bytes that servers were to read in the model's arrays
  std::uint64_t taken_back_bytes = 0;  ///< part of lent_bytes that was copied at the next step instead
  double loan_waiting_s = 0;           ///< part of inside_s spent waiting for arrays that a server read
  double input_waiting_s = 0;          ///< part of inside_s spent waiting for records of inputs
};

}  // namespace pileus
