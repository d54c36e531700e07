#pragma once
// The values that stand without a time axis in the files of one owner, put together once of the parts of all
// model ranks, and written into each file of a series when that is created. All calls come from one strand.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

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
using KeptWholes = std::map<std::size_t, std::shared_ptr<const std::vector<std::byte>>>;
KeptWholes kept_wholes(const Plan& plan, const StateEntries& entries);

class StaticParts {
 public:
  /// `kept`: of the run before, which are whole already. Texts are not, as this run may have others.
  StaticParts(const Plan& plan, ServerRank self, const KeptWholes& kept = {});

  /// A part of a variable; its index is that in Plan::statics. `client`: whose, if it is distributed.
  void add(const Record& part, ClientRank client);
  /// Parts of the model rank that lack do not come: they are filled.
  void end_client(ClientRank client);
  /// No step comes: texts are those of the run before.
  void take_kept_texts();

  /// Tells whether all static variables of the file are whole.
  bool is_whole(FileId file) const;
  /// Gives the file's definition their values. REQUIRES: is_whole.
  void give_to(FileId file, FileDefinition& definition) const;
  /// The entries of those that are whole. A run that continues needs them, as its files go on before its
  /// first step.
  std::vector<StateEntry> state() const;
  std::size_t size_bytes() const;
  /// "waits for the static fields of model ranks 1, 2"; "" if it is whole.
  std::string wait_text(FileId file) const;

 private:
  struct Whole {
    std::shared_ptr<const std::vector<std::byte>> values;  ///< in the file's layout; null: of another owner
    std::vector<std::byte>* open = nullptr;                ///< the same, while parts are missing
    std::set<ClientRank> missing;
    std::shared_ptr<const std::vector<std::byte>> before;  ///< of a text: what the run before had
  };
  const Plan& plan_;
  std::vector<Whole> wholes_;  ///< by static variable of the plan
};

}  // namespace pileus
