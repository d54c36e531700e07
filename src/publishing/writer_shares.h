#pragma once
// The shares say which server writes which parts of which files. They follow from the Plan, so that every
// server knows those of all, and nothing in them changes during a run.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "publishing/chunks/packing.h"
#include "publishing/owner/continued_files.h"
#include "publishing/parts/own_pieces.h"

namespace pileus {

/// Texts about elements of the variables of all files that no model rank holds.
std::map<VariableId, std::string> texts_of_holes(const Plan& plan);

class WriterShares {
 public:
  /// The plan and the format outlive it.
  WriterShares(const Plan& plan, ServerRank self, bool owners_write_all, const FileFormat& format);
  WriterShares(const WriterShares&) = delete;
  WriterShares& operator=(const WriterShares&) = delete;

  ServerRank self() const { return self_; }
  bool owners_write_all() const { return owners_write_all_; }
  /// Null if nothing is compressed, or written in slabs.
  const Packing* packing() const { return has_chunks_ ? &packing_ : nullptr; }
  /// Some of its parts go to other servers, which compress chunks of the variable or write slabs of it.
  bool is_dealt(VariableId variable) const { return has_chunks_ && !packing_.chunks(variable).empty(); }
  /// Servers that write parts of the file, compress some or hold their clients' memory until they are in it.
  const std::vector<ServerRank>& writers_of(FileId file) const { return writers_of_[file.index]; }
  const std::vector<std::vector<ServerRank>>& writers() const { return writers_of_; }
  /// Tells whether this server writes its clients' parts of the variable, or owns its file.
  bool is_written_here(VariableId variable) const;
  /// Tells whether this server writes parts of the variable, or makes that chunk of it.
  bool has_part_here(VariableId variable, std::uint32_t chunk) const;
  /// The other servers that have to hear that no part of the model rank will come.
  std::set<ServerRank> told_of_end(ClientRank client) const;

  /// The share of this server. `continued`: the files of the run before.
  Share share(const ContinuedFiles& continued) const;
  const std::map<VariableId, std::string>& holes() const { return holes_; }
  /// Texts about elements of variables in this server's files that no model rank holds: "FILE: VARIABLE has
  /// …".
  std::vector<std::string> hole_texts() const;

 private:
  void check_compared(const Share& share) const;
  std::vector<ServerRank> find_writers(FileId file) const;
  bool has_own_pieces(FileId file) const;
  bool has_packed(FileId file) const;
  std::map<VariableId, std::vector<Region>> filled_here() const;

  const Plan& plan_;
  ServerRank self_;
  bool owners_write_all_;
  bool has_chunks_;
  RankRegions regions_;                      ///< by client and value: of what files have as parts
  std::map<VariableId, std::string> holes_;  ///< of all variables
  Packing packing_;
  std::vector<std::vector<ServerRank>> writers_of_;  ///< by file
};

}  // namespace pileus
