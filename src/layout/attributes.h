#pragma once
// The attributes that a configuration adds to what Pileus writes of files and variables.

#include "layout/draft.h"

namespace pileus::planning {

/// Those of the file itself, which count before those of all files.
std::vector<Attribute> attributes_of_file(const Config& config, const FileConfig& file);

/// Adds those of the entry to `variable`, whose type is known: those of the include count before those of the
/// field or diagnostic, and both before what Pileus writes of the same name.
/// Errors: numbers that the type of the variable does not have.
void add_attributes(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings);

/// Of every variable of the file: `coordinates` and `ancillary_variables` name variables of the same file.
/// `names`: of the variables of all entries.
void check_named_variables(const Draft& draft, const std::vector<const Entry*>& entries,
                           const std::vector<std::string>& names, Findings& findings);

}  // namespace pileus::planning
