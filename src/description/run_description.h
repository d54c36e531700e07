#pragma once
// Everything that the Plan is made from, as server 0 tells it to all servers, so that each makes the same
// Plan.

#include <map>
#include <string>
#include <vector>

#include "config/include_files.h"
#include "core/encoder.h"
#include "core/model_description.h"
#include "files/run_identity.h"
#include "layout/make_plan.h"

namespace pileus {

struct RunDescription {
  std::string configuration_name;
  std::string configuration_text;
  std::vector<IncludedFile> included;          ///< what it includes: only server 0 reads files
  std::map<std::string, std::string> options;  ///< the model's, overruled by those of the command line
  ModelDescription model;
  RunIdentity identity;
  std::string directory;
  bool owners_write_all = false;  ///< the file system does not bear positioned writes by many
  std::string events;             ///< path of the file for the run's events; "": nobody wants them

  Bytes encode() const;
  static RunDescription decode(Decoder& in);
};

/// The Config and the Plan of a run. Findings that are no errors stay in `findings`.
struct PlannedRun {
  Config config;
  Plan plan;
};

/// Errors: ConfigError with every finding.
/// `find_include`: where the included files are not in the description yet.
PlannedRun plan_run(const RunDescription& description, ServerRank servers, Findings& findings,
                    const FindInclude& find_include = {});

}  // namespace pileus
