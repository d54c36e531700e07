#pragma once
// Objects of one space that are followed from step to step by the elements that they have in common.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/encoder.h"
#include "objects/space.h"

namespace pileus::objects {

/// An object as it is at one time.
struct Track {
  std::int64_t identity = 0;  ///< the same from step to step; counts from 1
  std::int64_t parent = 0;    ///< that which it was a part of before it began, or 0
  double begun_s = 0;         ///< model time
  std::int64_t merged = 0;    ///< so many others ended in this step by becoming a part of it
};

/// One that was there the step before, and is not any more.
struct EndedTrack {
  std::int64_t identity = 0;
  std::int64_t into = 0;  ///< that of which it is a part now, or 0
  double lifetime_s = 0;  ///< from when it began to when it was there last
};

/// What is known of a space after one step.
class Tracked {
 public:
  /// The first step. REQUIRES: `runs` have their objects (Space::join), in the order of their elements.
  Tracked(const std::vector<Run>& runs, double time_s);
  /// The step behind `before`. Each object is a part of what it has most elements in common with, of several
  /// that of the lowest identity; of the parts of one, the one with most of them is it, of several the first.
  Tracked(const Tracked& before, const std::vector<Run>& runs, double time_s);

  /// In the order of their labels.
  const std::vector<Track>& tracks() const { return tracks_; }
  double time_s() const { return time_s_; }
  /// In the order of their identities.
  const std::vector<EndedTrack>& ended() const { return ended_; }
  /// Calls `visit(row, begin, end, track)` for elements inside, in their order.
  template <class Visit>
  void for_each_run(Visit visit) const {
    for (const Piece& piece : pieces_) visit(piece.row, piece.begin, piece.end, tracks_[piece.track]);
  }

  /// All but what ended.
  void encode(Encoder& out) const;
  /// Errors: TransportError, also where runs are beyond a space of so many rows.
  static Tracked decode(Decoder& in, Index rows, Index length);

  /// What is known of a space with so many runs takes at most, each of which may be an object, and may have
  /// ended one.
  static constexpr std::size_t most_bytes(std::size_t runs) {
    return sizeof(Tracked) + runs * (sizeof(Piece) + sizeof(Track) + sizeof(EndedTrack)) + 3 * kOfAllocation;
  }
  /// What following takes while it goes on, beside that and the runs.
  static constexpr std::size_t working_bytes(std::size_t runs) {
    return runs * (kMapNode + 2 * sizeof(Overlap) + 3 * sizeof(std::optional<Overlap>)) + 5 * kOfAllocation;
  }

 private:
  struct Piece {
    std::uint32_t row = 0, begin = 0, end = 0, track = 0;
  };
  /// An object that has elements in common with one of the step before.
  struct Overlap {
    std::uint32_t track = 0, before = 0;
    std::int64_t elements = 0;
    friend bool operator==(const Overlap&, const Overlap&) = default;
  };
  /// Of memory, beside what was asked for; and a number and what it maps to.
  static constexpr std::size_t kOfAllocation = 32, kMapNode = 64;

  Tracked() = default;
  void take(const std::vector<Run>& runs);
  std::vector<Overlap> overlaps(const Tracked& before) const;

  std::vector<Piece> pieces_;
  std::vector<Track> tracks_;
  std::vector<EndedTrack> ended_;
  double time_s_ = 0;
  std::int64_t next_ = 1;  ///< identity
};

}  // namespace pileus::objects
