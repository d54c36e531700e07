#pragma once
// Brings whole pieces to the disk, or compressed to the owner of the file. Pieces of one file that are ready
// at once go together: those that lie next to each other there are one write.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/strand.h"
#include "files/file_names.h"
#include "files/owner_and_writers.h"
#include "formats/format.h"
#include "publishing/parts/compared_pieces.h"
#include "publishing/parts/open_parts.h"
#include "publishing/parts/writer_means.h"

namespace pileus {

class PieceWriter {
 public:
  /// All outlive it.
  PieceWriter(const Plan& plan, const OwnPieces& own, const FileNames& names, const WriterMeans& means,
              FileOwners& owners, PiecesWritten& told)
      : plan_(plan),
        own_(own),
        names_(names),
        means_(means),
        owners_(owners),
        told_(told),
        learned_(own.learned()),
        compared_(plan, own, means, owners, told) {}

  /// REQUIRES: `parts` has all parts of the piece, and it has a place; `file` is under way until it is
  /// written.
  void write(FilePeriod key, const OpenParts& file, const Piece& piece, PieceParts& parts);
  /// To how many bits pieces are rounded that wait for it.
  void learn(FilePeriod key, const Progress::Learned& learned);
  /// Pieces that are only written where they differ from what was written before.
  ComparedPieces& compared() { return compared_; }
  /// Pieces of the file do not wait for that any more: it has failed.
  void give_up(FilePeriod key);

 private:
  using Shared = std::shared_ptr<std::vector<Record>>;
  /// Where pieces of a file go.
  struct Target {
    std::shared_ptr<FileLane> lane;
    std::shared_ptr<std::unique_ptr<PartFile>> disk;
    std::shared_ptr<PartLog> log;  ///< null: the file is not in parts
    std::shared_ptr<std::unique_ptr<PartFile>> log_disk;
  };
  /// A record of a variable that waits for its way to the disk.
  struct Ready {
    Piece piece;
    RecordPlacement placement;
    std::vector<Record> parts;
    Index size_bytes = 0;
    std::optional<std::uint64_t> offset = {};  ///< in the file of this server; none: it is in that of all
    std::optional<PackedChunk> packed = {};    ///< what goes there; the parts wait, for their memory
  };
  /// The pieces of one file. While the disk is busy with some, others gather.
  struct Queue {
    Target target;
    std::vector<Ready> ready;
    std::size_t under_way = 0;  ///< writes
  };
  /// A piece that lies in the file of this server.
  struct Logged {
    Piece piece;
    std::uint64_t offset = 0, size_bytes = 0;
    std::uint32_t skipped_filters = 0;
  };

  std::vector<Record> take_parts(FilePeriod key, const Piece& piece, PieceParts& parts) const;
  void add(FilePeriod key, const Target& target, Ready ready);
  RecordPlacement place(PartLog& log, const Piece& piece, std::uint64_t offset) const;
  void send_ready(FilePeriod key);
  void send(FilePeriod key, Queue& queue, std::vector<Ready> together);
  void sent(FilePeriod key, const std::vector<Piece>& pieces, const DiskFailure& failure);
  void write_all(FilePeriod key, const Target& target, const std::vector<Ready>& together) const;
  void write_some(FilePeriod key, PartFile& disk, const std::vector<const Ready*>& some) const;
  std::unique_ptr<PartFile> new_part(FilePeriod key) const;
  void pack(FilePeriod key, const Piece& piece, const Shared& parts, int bits, const Target& target);
  void ask(FilePeriod key, const Piece& piece, const Shared& parts);
  PackedChunk packed_of(FilePeriod key, const Piece& piece, const std::vector<Record>& parts, int bits) const;
  BitPairs pairs_of(FilePeriod key, const Piece& piece, const std::vector<Record>& parts) const;

  const Plan& plan_;
  const OwnPieces& own_;
  const FileNames& names_;
  WriterMeans means_;
  FileOwners& owners_;
  PiecesWritten& told_;
  std::map<VariableId, int> learned_;  ///< to how many bits of the fraction these are rounded; 0: to none
  std::map<std::pair<FilePeriod, Piece>, Shared> asking_;  ///< pieces that wait for that
  std::map<FilePeriod, Queue> queues_;                     ///< of files with pieces that are not written
  ComparedPieces compared_;
};

}  // namespace pileus
