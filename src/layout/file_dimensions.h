#pragma once
// The dimensions of a file: those of its variables, and those that it has whatever is in it.

#include <map>
#include <string>
#include <vector>

#include "layout/draft.h"

namespace pileus::planning {

/// A variable of a file.
struct DimensionUser {
  std::string variable;
  const Term* value;
  Location where;  ///< of its field or diagnostic
};

/// The dimensions that the configuration gives the file. Those that the model lacks get a warning, as a
/// configuration goes with many models.
std::vector<DimensionId> dimensions_given(const Draft& draft, const FileConfig& config, Findings& findings);

/// Names those dimensions otherwise than the model does that texts and maps add, if the naming is MONC's.
void name_dimensions(const Draft& draft, const FileConfig& config, PlannedFile& file,
                     const std::vector<DimensionUser>& users);

/// Adds the names of the dimensions and of their bounds to those that are taken.
/// Errors: names that are taken already, or that files cannot have.
void check_dimensions(const Draft& draft, const FileConfig& config, const PlannedFile& file,
                      const std::vector<DimensionUser>& users, std::map<std::string, std::string>& taken,
                      Findings& findings);

}  // namespace pileus::planning
