#pragma once
// Who puts which chunk of variables together, and of which parts it is made: chunks that are compressed, and
// slabs of records that few servers write. It follows from the Plan, so that every server knows it of all.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "files/value_layout.h"
#include "formats/format.h"
#include "plan/plan.h"
#include "publishing/chunks/slabs.h"
#include "time/record.h"

namespace pileus {

/// What the model ranks of one server hold of a slab that another one writes.
struct PartOfSlab {
  ServerRank from = 0, writer = 0;
  Index elements = 0;
};

class Packing {
 public:
  struct Chunk {
    /// In the order of the file; it may reach past the extents. Of a coarser level: what its blocks cover.
    Region region;
    ServerRank packer = 0;       ///< puts it together, and compresses it or writes it
    std::size_t part_count = 1;  ///< of so many model ranks
    /// The rank whose part says that there is such a record, where no model rank holds anything of the chunk.
    std::optional<ClientRank> stand_in = {};
  };

  /// A packing of a plan in which nothing is compressed, and nothing written in slabs.
  Packing() = default;
  /// `regions`: by model rank and value, what it holds. `has_slabs`: false where owners write alone. The plan
  /// and the regions must outlive it.
  Packing(const Plan& plan, const FileFormat& format, const RankRegions& regions, bool has_slabs = true);
  /// Slabs alone; nothing is known of what is compressed.
  static Packing of_slabs(const Plan& plan, const RankRegions& regions);

  /// The chunks in the order of FileFormat::packed_regions, or the slabs in that of slab_regions. Other
  /// variables have none.
  const std::vector<Chunk>& chunks(VariableId variable) const { return chunks_[variable.index]; }
  /// Tells whether the part of the model rank belongs to the chunk. Parts of what is not distributed always
  /// do.
  bool has_part(VariableId variable, std::uint32_t chunk, ClientRank client) const;
  /// The numbers of the chunks that have a part of the model rank.
  std::vector<std::uint32_t> chunks_with(VariableId variable, ClientRank client) const;
  /// All that travels of a record of a variable that is written in slabs.
  std::vector<PartOfSlab> parts_of_slabs(VariableId variable) const;
  /// Who compresses something for the file, or writes slabs of it.
  std::set<ServerRank> packers(FileId file) const;
  /// Who has to hear that no part of the model rank will come: who puts chunks with such parts together, and
  /// owners of files with these, who say from then on which records there are.
  std::set<ServerRank> concerned_by(ClientRank client) const;

 private:
  /// Which model ranks hold something of each chunk.
  struct Holders {
    struct OfChunk {
      std::map<ServerRank, Index> elements;  ///< that the ranks of each server hold; of no other servers
      std::size_t parts = 0;
    };
    std::vector<OfChunk> chunks;
    std::optional<ClientRank> first;  ///< who holds anything of the variable
  };
  /// The ways in which variables lie and are cut into chunks: the number of slabs, 0 for chunks that are
  /// compressed, and the lengths of blocks. What is found for one is right for all alike.
  using Way = std::tuple<RankRegions::Column, std::vector<DimensionId>, std::vector<DimensionId>, ElementType,
                         std::size_t, std::vector<Index>>;
  using KnownHolders = std::map<Way, std::shared_ptr<const Holders>>;

  Packing(const Plan& plan, const RankRegions& regions);
  std::vector<Index> extents_in_file(VariableId variable) const;
  std::shared_ptr<const Holders> holders_of(VariableId variable, std::size_t slabs,
                                            KnownHolders& known) const;
  void take_holders(VariableId variable, const Holders& holders);
  void add_packed(const FileFormat& format, KnownHolders& known);
  void add_slabs(KnownHolders& known);
  void add_slabs(FileId file, KnownHolders& known, SlabWriters& writers);
  void spread(VariableId variable, KnownHolders& known, std::vector<Index>& load);
  Holders find_holders(VariableId variable) const;
  Region in_file_of(VariableId variable, ClientRank client) const;

  const Plan* plan_ = nullptr;
  const RankRegions* regions_ = nullptr;
  std::vector<ValueLayout> layouts_;        ///< by variable
  std::vector<std::vector<Chunk>> chunks_;  ///< likewise
  /// Likewise, where they are slabs; null elsewhere.
  std::vector<std::shared_ptr<const Holders>> slab_holders_;
};

/// The slice of the part that lies in the chunk, as a part of its own. REQUIRES: the part has a value of its
/// region's extents, or none.
Record slice_for_chunk(const Record& part, const ValueLayout& layout, const Region& chunk);

}  // namespace pileus
