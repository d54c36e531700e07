#pragma once
// One file as a server that writes parts of it knows it: what has come, what has not, what is on the disk.
// Belongs to the strand of its PartWriter.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "disk/file_system.h"
#include "files/file_lane.h"
#include "publishing/parts/open_pieces.h"
#include "publishing/parts/open_places.h"
#include "publishing/parts/part_log.h"

namespace pileus {

/// A state that is kept, until the parts that it needs are on the disk.
struct OpenCut {
  std::int64_t step = 0;
  std::vector<Index> records;  ///< by axis
  Index pieces_missing = 0;    ///< of these records
  bool is_syncing = false;
};

struct OpenParts {
  /// `own` outlives it.
  OpenParts(const OwnPieces& own, FilePeriod key) : pieces(own, key), places(own, key) {}
  bool has_failed() const { return !failure.text.empty(); }

  OpenPieces pieces;
  OpenPlaces places;
  std::unique_ptr<Closing> closing;
  std::vector<Index> certain;  ///< by axis: records that there will be at least
  /// Parts that were filled because their model rank has ended: records, by variable and rank.
  std::map<std::pair<std::uint32_t, ClientRank>, std::vector<Index>> missing_records;
  std::vector<OpenCut> cuts;
  DiskFailure failure;
  std::size_t writes_under_way = 0;
  Index pieces_missing = 0;  ///< of those that the file will have; known once `closing` is
  std::shared_ptr<FileLane> lane;
  std::shared_ptr<std::unique_ptr<PartFile>> disk;      ///< opened and used on the lane alone
  std::shared_ptr<PartLog> log;                         ///< of the file of this server; null: it has none
  std::shared_ptr<std::unique_ptr<PartFile>> log_disk;  ///< made and used on the lane alone
  bool is_syncing = false;
};

}  // namespace pileus
