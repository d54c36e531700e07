#pragma once
// Pieces of variables whose records are only written where they differ from the last one that was. Each chunk
// is compared, the owner of the file adds up what all have found and says whether the record is written, and
// the next one is compared after that. Of a chunk at most three records are in memory here: what was written,
// what is compared, and the last one of the file, which is written in the end whatever it is.
// Belongs to the strand of the PartWriter.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "files/owner_and_writers.h"
#include "publishing/parts/own_pieces.h"
#include "publishing/parts/writer_means.h"

namespace pileus {

class ComparedPieces {
 public:
  /// All outlive it.
  ComparedPieces(const Plan& plan, const OwnPieces& own, const WriterMeans& means, FileOwners& owners,
                 PiecesWritten& told);

  bool is_for(FilePeriod key, std::uint32_t variable) const {
    return plan_[own_.id(key.file, variable)].storage.write_if.has_value();
  }
  bool is_for_any(FileId file) const;
  /// All parts of a piece.
  void add(FilePeriod key, const Piece& piece, std::shared_ptr<std::vector<Record>> parts);
  void decide(FilePeriod key, const Progress::Decided& decided);
  /// Sends the last records of the file that another stands for. Answers how many chunks
  /// PiecesWritten::late_written will be told of; nothing is sent twice.
  /// REQUIRES: the file has so many records, by axis, and all of them are decided.
  std::size_t send_last(FilePeriod key, const std::vector<Index>& records);

  /// A state of the file is kept when it has so many records, by axis. No later one is decided yet.
  void begin_cut(FilePeriod key, std::int64_t step, const std::vector<Index>& records);
  /// What later ones are compared with. REQUIRES: all of its records are written.
  std::vector<ComparedChunk> take_cut(FilePeriod key, std::int64_t step);

  /// Nothing of the file is written any more; its pieces are as good as written.
  void give_up(FilePeriod key);
  void forget(FilePeriod key);

 private:
  using Values = std::shared_ptr<const Bytes>;
  using Shared = std::shared_ptr<std::vector<Record>>;
  struct Chain {
    Index next = 0;        ///< the record that is to be compared
    Values written;        ///< null before the first record
    Values compared;       ///< of `next`, until the owner decides
    Values last;           ///< of the one before; null where that was written
    double written_s = 0;  ///< the time of what was written, where each chunk is for itself
    std::optional<Difference> difference = {};  ///< of `compared`, where each chunk is for itself
    bool is_busy = false;
    std::map<Index, Shared> waiting;
  };
  struct Kept {
    std::uint32_t variable = 0, chunk = 0;
    Values written, last;
    double written_s = 0;
  };
  struct KeptCut {
    std::vector<Index> records;  ///< by axis
    std::vector<Kept> kept;
  };
  struct File {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Chain> chains;  ///< by variable and chunk
    std::map<std::int64_t, KeptCut> cuts;
    /// By variable whose chunks are each for itself: records that the owner knows, and their times. No later
    /// one is decided, so that a cut finds what later records are compared with.
    std::map<std::uint32_t, std::map<Index, double>> known;
    bool has_sent_last = false;
    bool is_given_up = false;
  };

  /// REQUIRES: is_for.
  const WriteIf& limit_of(FileId file, std::uint32_t variable) const;
  Chain& chain_of(FilePeriod key, std::uint32_t variable, std::uint32_t chunk);
  void go_on(FilePeriod key, std::uint32_t variable, std::uint32_t chunk, Chain& chain);
  void compared(FilePeriod key, PackedPart part, Values values, const std::string& failure);
  void know(FilePeriod key, const Progress::Decided& record);
  void decide_here(FilePeriod key, std::uint32_t variable, std::uint32_t chunk);
  bool is_written(FilePeriod key, std::uint32_t variable, const Chain& chain, double time_s);
  Index records_together(FileId file, std::uint32_t variable);
  void end_comparison(FilePeriod key, const Piece& piece, Chain& chain, const Values& values,
                      bool is_written);
  void send(FilePeriod key, const Piece& piece, const Values& values, bool is_late);
  void keep_for_cuts(FilePeriod key, std::uint32_t variable, std::uint32_t chunk, const Chain& chain);

  const Plan& plan_;
  const OwnPieces& own_;
  WriterMeans means_;
  FileOwners& owners_;
  PiecesWritten& told_;
  std::map<FilePeriod, File> files_;
  std::map<std::pair<FileId, std::uint32_t>, Index>
      together_;  ///< FileFormat::records_of_stretch, once asked
};

}  // namespace pileus
