#pragma once
// Everything that the Plan is made from. Server 0 sends it to all servers, so that each makes the same Plan.

#include <map>
#include <string>
#include <vector>

#include "config/include_files.h"
#include "core/encoder.h"
#include "core/model_ranks.h"
#include "files/run_identity.h"
#include "inputs/declared/planned_inputs.h"
#include "layout/make_plan.h"

namespace pileus {

struct RunDescription {
  std::string configuration_name;
  std::string configuration_text;
  std::vector<IncludedFile> included;          ///< the files that it includes, as only server 0 reads files
  std::map<std::string, std::string> options;  ///< options of the model, overruled by those of the command
                                               ///< line
  ModelRanks model;
  RunIdentity identity;
  std::uint64_t of_components = 1;  ///< so many share the memory of the servers
  std::string directory;
  std::vector<ServerRank> served_by;  ///< by model rank; empty: blocks of neighbours (Layout)
  bool owners_write_all = false;  ///< the file system does not bear writes by several processes into one file
  std::vector<std::string> kept_statics;  ///< static fields that a run which goes on has from its checkpoint
  std::string events;                     ///< path of the file for the run's events; "" for none

  Bytes encode() const;
  static RunDescription decode(Decoder& in);
};

/// The configuration, with the options put in. `findings` gets its mistakes.
Config config_of(const RunDescription& description, Findings& findings, const FindInclude& find_include,
                 const ReadGrid& read_grid = {});

/// The Config and the Plan of a run. `findings` gets the findings that are not errors.
struct PlannedRun {
  Config config;
  Plan plan;
  std::vector<PlannedInput> inputs = {};
};

/// Errors: ConfigError with every finding.
/// `find_include` finds the included files while they are not in the description yet. Without `open_input`
/// the run has no inputs.
PlannedRun plan_run(const RunDescription& description, ServerRank servers, Findings& findings,
                    const FindInclude& find_include = {}, const ReadGrid& read_grid = {},
                    const OpenInput& open_input = {});

}  // namespace pileus
