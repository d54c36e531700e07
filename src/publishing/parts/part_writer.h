#pragma once
// One server's share in writing files: collects the parts of a record that this server writes, waits for the
// record's place, writes neighbouring parts together in few large pieces, and tells the owner when all is on
// the disk. All calls come from one strand; what blocks on the disk runs on writer lanes.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/wait.h"
#include "disk/file_system.h"
#include "exec/strand.h"
#include "files/file_form.h"
#include "files/file_frames.h"
#include "files/file_lane.h"
#include "plan/plan.h"
#include "publishing/chunks/packing.h"

namespace pileus {

class PartWriter {
 public:
  struct Hooks {
    /// Runs a task on the strand that owns this object. Thread-safe.
    std::function<void(Task)> post;
    /// The parts of one file are on the disk, or could not be written.
    std::function<void(PartsDone)> done;
    std::function<std::string(FilePeriod)> temporary_path;
    /// What a model rank holds of a distributed variable.
    std::function<Region(VariableId, ClientRank)> region_of;
    /// Runs a task that computes on a worker.
    std::function<void(Task)> work = {};
    /// Compresses what the parts hold of a chunk; on a worker.
    std::function<PackedChunk(VariableId, const Region& chunk, const std::vector<Record>&)> pack = {};
    /// A chunk of a compressed variable is ready for the owner of its file.
    std::function<void(PackedPart)> packed = {};
    /// What this server writes of a cut is on the disk.
    std::function<void(CutSynced)> cut_synced = {};
  };

  /// Which parts this server writes: of distributed variables those of `clients`, of the others those in
  /// files that it owns. With `owners_write_all` (file systems that do not bear positioned writes by many)
  /// only owners write, and `clients` are all model ranks. Of compressed variables: the chunks that this
  /// server compresses, whoever writes.
  struct Share {
    std::vector<ClientRank> clients;
    std::vector<bool> is_owner;  ///< by file
    bool owners_write_all = false;
    /// What no model rank holds, where this server is the one that fills it. By index of the variable.
    std::map<VariableId, std::vector<Region>> holes = {};
    ServerRank self = 0;
    const Packing* packing = nullptr;  ///< null: nothing is compressed. Outlives the writer
    /// By axis: records that the files of the run before have already; nothing comes of them.
    std::map<FilePeriod, std::vector<Index>> begun = {};
  };

  /// `full`: null where nothing is tried again; it outlives the writer.
  PartWriter(const Plan& plan, Share share, FileSystem& files, Executor& writers, Hooks hooks,
             FullDisks* full = nullptr);

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
  /// "profile_100.nc: w: record 3 lacks the parts of ranks 1, 2", for what still waits.
  std::vector<std::string> open_texts() const;
  /// The same of what is due, and what is on its way to the disk: a subject for each variable of a file, one
  /// for what is written of it.
  std::vector<Wait> waits() const;

 private:
  /// What is written at once: a record of a variable, or a chunk of one that is compressed.
  struct Piece {
    std::uint32_t variable = 0;  ///< of the file
    Index record = 0;
    std::uint32_t chunk = 0;
    friend auto operator<=>(const Piece&, const Piece&) = default;
  };
  /// All parts of a piece.
  struct PieceParts {
    std::map<ClientRank, Record> parts;
    const RecordPlacement* placement = nullptr;
    bool is_handed_over = false;  ///< to a writer lane
    bool is_written = false;
  };
  struct OpenCut {
    std::int64_t step = 0;
    std::vector<Index> records;      ///< by axis
    std::size_t pieces_missing = 0;  ///< of these records
    bool is_syncing = false;
  };
  struct OpenFile {
    std::map<Piece, PieceParts> pieces;
    std::vector<std::unique_ptr<Placement>> placements;
    std::unique_ptr<Closing> closing;
    std::vector<Index> certain;  ///< by axis: records that there will be at least
    /// Parts that were filled because their model rank has ended: records, by variable and rank.
    std::map<std::pair<std::uint32_t, ClientRank>, std::vector<Index>> missing_records;
    std::vector<OpenCut> cuts;
    DiskFailure failure;
    std::size_t writes_under_way = 0;
    std::size_t pieces_missing = 0;  ///< of those that the file will have; known once `closing` is
    std::shared_ptr<FileLane> lane;
    std::shared_ptr<std::unique_ptr<PartFile>> disk;  ///< opened and used on the lane alone
    bool is_syncing = false;
  };

  void add_waits_for_disk(FilePeriod key, const OpenFile& file, std::vector<Wait>& waits) const;
  void add_waits_for_parts(FilePeriod key, const OpenFile& file, std::vector<Wait>& waits) const;
  std::string lacks(FilePeriod key, const PieceParts& parts, const Piece& piece) const;
  bool is_distributed(std::uint32_t variable, FileId file) const;
  bool is_packed(std::uint32_t variable, FileId file) const;
  bool has_part(const Piece& piece, FileId file, ClientRank client) const;
  bool is_named_by(const Piece& piece, FileId file, ClientRank client) const;
  std::vector<std::uint32_t> chunks_here(VariableId variable) const;
  const std::vector<std::uint32_t>& chunks_here(std::uint32_t variable, FileId file) const;
  std::size_t axis_of(std::uint32_t variable, FileId file) const;
  std::size_t parts_expected(std::uint32_t variable, FileId file, std::uint32_t chunk = 0) const;
  std::size_t pieces_missing(FilePeriod key, const OpenFile& file, const std::vector<Index>& records) const;
  Index begun(FilePeriod key, std::size_t axis) const;
  void sync_cuts(FilePeriod key, OpenFile& file);
  void cut_synced(FilePeriod key, std::int64_t step, const DiskFailure& failure);
  OpenFile& open_file(FilePeriod key);
  void write_if_complete(FilePeriod key, OpenFile& file, const Piece& piece);
  void start_writing(FilePeriod key, OpenFile& file, const Piece& piece);
  void start_packing(FilePeriod key, const Piece& piece, std::shared_ptr<std::vector<Record>> parts);
  void written(FilePeriod key, const Piece& piece, const DiskFailure& failure);
  void fill_missing(FilePeriod key, OpenFile& file, std::uint32_t axis, Index first = 0);
  void fill_of_ended(FilePeriod key, OpenFile& file, std::uint32_t variable, Index record);
  void fill_piece(FilePeriod key, OpenFile& file, const Piece& piece);
  void finish_if_complete(FilePeriod key);
  std::vector<MissingPart> missing_parts(FilePeriod key, const OpenFile& file,
                                         const std::vector<Index>* below = nullptr) const;
  void synced(FilePeriod key, const DiskFailure& failure);

  const Plan& plan_;
  Share share_;
  FileSystem& files_;
  Executor& writers_;
  Hooks hooks_;
  FullDisks* full_;
  std::map<FilePeriod, OpenFile> open_;
  std::set<ClientRank> ended_;
  std::set<FilePeriod> failed_;                          ///< later parts are dropped
  std::map<FilePeriod, std::vector<MissingPart>> done_;  ///< the owner has been told of them, once
  std::vector<std::int64_t> last_period_;                ///< by file: parts of later periods are dropped
  std::vector<FileForm> forms_;                          ///< by variable of the plan
  std::vector<std::vector<std::uint32_t>> chunks_here_;  ///< likewise: what this server makes of a record
};

}  // namespace pileus
