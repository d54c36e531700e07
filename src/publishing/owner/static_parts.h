#pragma once
// The values that stand without a time axis in the files of one owner, put together once of the parts of all
// model ranks, and written into each file of a series when that is created. Large ones lie on the disk: no
// server holds all points of a large grid because of them. All calls come from one strand.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "disk/scratch_space.h"
#include "files/file_lane.h"
#include "formats/format.h"
#include "plan/plan.h"
#include "state/state_entries.h"
#include "time/record.h"

namespace pileus {

inline constexpr const char* kStaticVariableKind = "static variable";
/// The key of its entry.
std::string static_variable_key(const Plan& plan, const Variable& variable);

/// The values that a checkpoint has of Plan::statics, by index, as far as they are made as before.
/// Errors: TransportError if an entry is damaged.
using KeptWholes = std::map<std::size_t, std::shared_ptr<const ByteSource>>;
KeptWholes kept_wholes(const Plan& plan, const StateEntries& entries);

/// The bytes of a static variable in its file.
std::uint64_t bytes_in_file(const Plan& plan, const Variable& variable);

class StaticParts {
 public:
  struct Means {
    FileSystem& files;
    std::string directory;  ///< of scratch files
    FileLane::Threads threads;
    FullDisks* full;
    std::function<FilePeriod(FileId)> waiting_file;  ///< whose name says that there is no space
    std::function<void()> moved;  ///< called when something is whole, or lost, or lacks space
  };
  /// `kept`: of the run before, which are whole already. Texts are not, as this run may have others.
  StaticParts(const Plan& plan, ServerRank self, Means means, const KeptWholes& kept = {});

  using Done = std::function<void()>;
  /// A part of a variable; its index is that in Plan::statics. `client`: whose, if it is distributed. `done`
  /// is called when nobody needs the part any more; it may be empty.
  void add(const Record& part, ClientRank client, const Done& done = {});
  /// Parts of the model rank that lack do not come: they are filled.
  void end_client(ClientRank client);
  /// No step comes: texts are those of the run before.
  void take_kept_texts();
  /// Nobody needs those of the file any more: the disk is not waited for.
  void give_up(FileId file);

  /// Tells whether all static variables of the file are whole.
  bool is_whole(FileId file) const;
  /// Why some of them are lost; null: they are not.
  const DiskFailure* failure(FileId file) const;
  /// Why some of them still wait for space, in a file that skips, and whose patience is over: those of its
  /// periods that have waited as long are given up, later ones may have them. Null: none does.
  const DiskFailure* shortage(FileId file) const;
  /// Gives the file's definition their values. REQUIRES: is_whole.
  void give_to(FileId file, FileDefinition& definition) const;
  /// The entries of those that are whole. A run that continues needs them, as its files go on before its
  /// first step.
  std::vector<StateEntry> state() const;
  /// Those in memory.
  std::size_t size_bytes() const;
  /// "waits for the static fields of model ranks 1, 2"; "" if it is whole.
  std::string wait_text(FileId file) const;

 private:
  struct Whole {
    std::shared_ptr<const ByteSource> values;  ///< in the file's layout; null: of another owner
    std::shared_ptr<BytesInMemory> open;       ///< the same, if it is in memory, and parts may be missing
    std::shared_ptr<ScratchBytes> aside;       ///< the same, if it is not
    bool is_begun = false;                     ///< something is written aside, or was
    std::size_t writes = 0;                    ///< under way, if it is not in memory
    std::set<ClientRank> missing;
    std::shared_ptr<const ByteSource> before;  ///< of a text: what the run before had

    bool is_complete() const { return missing.empty() && writes == 0; }
  };
  /// What is written aside for one file, one piece after the other.
  struct Aside {
    ScratchSpace space;
    std::shared_ptr<FileLane> lane = nullptr;  ///< null until something is written
    DiskFailure failure = {}, shortage = {};
  };
  void make_lane(FileId file, Aside& aside);

  void open(std::size_t index);
  bool place(const Record& part, ClientRank client, const Done& done);
  void begin_aside(std::size_t index);
  bool write_aside(std::size_t index, Task work, const Done& done);
  void written_aside(std::size_t index, const DiskFailure& failure);

  const Plan& plan_;
  Means means_;
  std::map<FileId, Aside> asides_;
  std::vector<Whole> wholes_;  ///< by static variable of the plan
};

}  // namespace pileus
