#pragma once
// Own pieces say which pieces of files this server makes, and of whose parts each of them consists. It
// follows from the Plan and from who writes what; nothing in it changes during a run.

#include <compare>
#include <map>
#include <vector>

#include "files/file_frames.h"
#include "files/value_layout.h"
#include "plan/plan.h"
#include "publishing/chunks/packing.h"

namespace pileus {

/// A share says which parts a server writes: of distributed variables those of `clients`, of the others those
/// in files that it owns. With `owners_write_all` (file systems that do not bear positioned writes by many)
/// only owners write, and `clients` are all model ranks. A share in compressed variables is the chunks that
/// this server compresses, whoever writes, and in those that few servers write it is slabs.
struct Share {
  std::vector<ClientRank> clients;
  std::vector<bool> is_owner;  ///< by file
  bool owners_write_all = false;
  /// The regions that each model rank holds, by its rank and the value's index. They outlive the writer.
  const RankRegions* regions = nullptr;
  /// The regions that no model rank holds and this server fills, by index of the variable.
  std::map<VariableId, std::vector<Region>> holes = {};
  ServerRank self = 0;
  const Packing* packing = nullptr;  ///< null: there are no chunks and no slabs. Outlives the writer
  /// The numbers of records that the files of the run before have already, by axis. Nothing comes of them.
  std::map<FilePeriod, std::vector<Index>> begun = {};
  /// To how many bits variables are rounded that learn it, as far as it is known; 0: to none.
  std::map<VariableId, int> learned = {};
  /// What records of files of the run before are compared with.
  std::map<FilePeriod, ComparedChunks> compared = {};
  /// The model ranks of this server, where `clients` are all of them.
  std::vector<ClientRank> own_clients = {};
};

/// A piece is written at once. It is what this server has of a record of a variable; or a chunk of one that
/// is compressed, or a slab.
struct Piece {
  std::uint32_t variable = 0;  ///< of the file
  Index record = 0;
  std::uint32_t chunk = 0;
  friend auto operator<=>(const Piece&, const Piece&) = default;
};

class OwnPieces {
 public:
  OwnPieces(const Plan& plan, Share share);

  VariableId id(FileId file, std::uint32_t variable) const { return plan_[file].variables[variable]; }
  /// The index in its file.
  std::uint32_t index_of(VariableId variable) const { return indices_[variable.index]; }
  std::size_t axis_of(FileId file, std::uint32_t variable) const { return axes_[id(file, variable).index]; }
  std::size_t variables(FileId file) const { return plan_[file].variables.size(); }
  bool is_distributed(FileId file, std::uint32_t variable) const;
  bool is_packed(FileId file, std::uint32_t variable) const;
  /// Whether pieces of its records are chunks or slabs, of the parts of whatever server.
  bool is_cut(FileId file, std::uint32_t variable) const;
  /// Whether its pieces have to be given a place in the file.
  bool needs_place(FileId file, std::uint32_t variable) const {
    return !is_packed(file, variable) && !is_in_parts(file, variable);
  }
  /// Whether this server writes it into a file of its own.
  bool is_in_parts(FileId file, std::uint32_t variable) const;
  ServerRank self() const { return share_.self; }

  /// The chunks of a record that this server makes: those to compress, or slabs, or all of it, or none.
  const std::vector<std::uint32_t>& chunks_here(FileId file, std::uint32_t variable) const;
  std::size_t parts_expected(FileId file, std::uint32_t variable, std::uint32_t chunk = 0) const;
  /// Tells whether the part of the model rank belongs to the piece.
  bool has_part(FileId file, const Piece& piece, ClientRank client) const;
  /// A part that was filled is named once, though several servers make chunks of it: with the first of these.
  bool is_named_by(FileId file, const Piece& piece, ClientRank client) const;

  /// Those whose parts of distributed variables this server writes.
  const std::vector<ClientRank>& clients(FileId file) const;

  /// The region of a distributed variable that a model rank holds.
  Region region_of(VariableId variable, ClientRank client) const;
  /// The regions that no model rank holds and this server fills.
  std::vector<Region> holes(VariableId variable) const;
  const Region& chunk_region(FileId file, const Piece& piece) const;
  const std::map<VariableId, int>& learned() const { return share_.learned; }
  /// Null where the run before has none.
  const ComparedChunk* compared(FilePeriod file, std::uint32_t variable, std::uint32_t chunk) const;
  const ValueLayout& layout(VariableId variable) const { return layouts_[variable.index]; }

  /// Records of the axis that the run before wrote.
  Index begun(FilePeriod file, std::size_t axis) const;
  /// Pieces of the records below `records`, by axis.
  Index count_below(FilePeriod file, const std::vector<Index>& records) const;

 private:
  std::vector<std::uint32_t> find_chunks(VariableId variable) const;

  const Plan& plan_;
  Share share_;
  std::vector<ValueLayout> layouts_;                     ///< by variable of the plan
  std::vector<std::uint32_t> indices_;                   ///< likewise: in its file
  std::vector<std::size_t> axes_;                        ///< likewise
  std::vector<std::vector<std::uint32_t>> chunks_here_;  ///< likewise; increasing
};

}  // namespace pileus
