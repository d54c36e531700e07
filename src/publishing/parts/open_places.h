#pragma once
// Where the records of one file lie that are not on the disk yet, as its owner has said.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "files/file_frames.h"
#include "publishing/parts/own_pieces.h"

namespace pileus {

class OpenPlaces {
 public:
  /// `own` outlives it.
  OpenPlaces(const OwnPieces& own, FilePeriod key) : own_(own), key_(key) {}

  void add(const Placement& placement);
  /// nullopt where the owner has not said it. REQUIRES: the piece is not written.
  std::optional<RecordPlacement> of(const Piece& piece) const;
  bool has(const Piece& piece) const;
  void set_written(const Piece& piece);
  /// How many growths it has, for a test that these are few.
  std::size_t size() const { return growths_.size(); }

 private:
  struct Growth {
    AxisGrowth growth;
    Index unwritten = 0;  ///< pieces of this server
  };
  using Key = std::pair<std::uint32_t, Index>;  ///< axis, first record

  std::map<Key, Growth>::const_iterator find(const Piece& piece) const;
  bool has(const std::pair<const Key, Growth>& growth, const Piece& piece) const;
  const RecordPlacements* placements(const Growth& growth, std::uint32_t variable) const;

  const OwnPieces& own_;
  FilePeriod key_;
  std::map<Key, Growth> growths_;
};

}  // namespace pileus
