#pragma once
// One server's share in writing files: collects the parts of a record that this server writes until they are
// all there and the record has its bytes in the file, has them written, and tells the owner when all is on
// the disk. All calls come from one strand; what blocks on the disk runs on writer lanes.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/wait.h"
#include "files/owner_and_writers.h"
#include "files/periods.h"
#include "plan/plan.h"
#include "publishing/parts/open_parts.h"
#include "publishing/parts/own_pieces.h"
#include "publishing/parts/piece_writer.h"

namespace pileus {

class PartWriter : private PiecesWritten {
 public:
  /// All outlive it.
  PartWriter(const Plan& plan, Share share, const FileNames& names, const WriterMeans& means,
             FileOwners& owners);

  /// A part that this server writes, or of a chunk that it compresses. `client`: whose; of no meaning for
  /// what is not distributed.
  void add(Record record, ClientRank client, std::uint32_t chunk = 0);
  void place(const Placement& placement);
  void progress(const Progress& progress);
  void close(const Closing& closing);
  /// Answered once, when the parts of these records are on the disk.
  void cut(const Cut& cut);
  /// No further parts of `client` will come; those that lack are filled with missing values.
  void end_client(ClientRank client);

  bool has_open_files() const { return !open_.empty(); }
  std::vector<std::string> open_texts() const;
  std::vector<Wait> waits() const;
  /// The number of entries that are held of files that are done, and of records that are written. A test asks
  /// that it stays small.
  std::size_t held_of_done() const;
  std::size_t held_of_written() const;

 private:
  OpenParts& open_file(FilePeriod key);
  void written(FilePeriod key, const std::vector<Piece>& pieces, const DiskFailure& failure) override;
  void late_written(FilePeriod key, const DiskFailure& failure) override;
  static void put(PieceParts& parts, Record record, ClientRank client, bool is_distributed);
  /// The file has bytes for the piece.
  void placed(FilePeriod key, OpenParts& file, const Piece& piece);
  void write_if_complete(FilePeriod key, OpenParts& file, const Piece& piece);
  Index pieces_missing(FilePeriod key, const OpenParts& file, const std::vector<Index>& records) const;
  void forget_before(FileId file, std::int64_t period);

  void sync_cuts(FilePeriod key, OpenParts& file);
  void cut_synced(FilePeriod key, std::int64_t step, const DiskFailure& failure);
  void finish_if_complete(FilePeriod key);
  void synced(FilePeriod key, const DiskFailure& failure);

  void make_certain(FilePeriod key, OpenParts& file, std::uint32_t axis, Index records);
  void fill_missing(FilePeriod key, OpenParts& file, std::uint32_t axis, Index first = 0);
  void fill_of_ended(FilePeriod key, OpenParts& file, std::uint32_t variable, Index record);
  void fill_piece(FilePeriod key, OpenParts& file, const Piece& piece);
  std::vector<MissingPart> missing_parts(FilePeriod key, const OpenParts& file,
                                         const std::vector<Index>* below = nullptr) const;

  void sync_part(FilePeriod key, PartFile& disk) const;
  void end_part(FilePeriod key, const PartLog& log, const std::vector<Index>& records, PartFile& disk) const;

  const Plan& plan_;
  const FileNames& names_;
  WriterMeans means_;
  FileOwners& owners_;
  OwnPieces own_;
  PieceWriter pieces_;
  std::map<FilePeriod, OpenParts> open_;
  std::set<ClientRank> ended_;
  std::vector<Periods> failed_;                                ///< by file: later parts are dropped
  std::map<FilePeriod, std::vector<MissingPart>> done_;        ///< of files that their owner still has
  std::map<FilePeriod, std::vector<ComparedChunk>> compared_;  ///< of these, what they ended with
  std::map<FilePeriod, std::shared_ptr<PartLog>> logs_;        ///< of these, where they have one
  std::vector<std::int64_t> last_period_;  ///< by file: parts of later periods are dropped
};

}  // namespace pileus
