#pragma once
// The attributes that a configuration adds to those that Pileus writes for files and variables.

#include "layout/draft.h"

namespace pileus::planning {

/// The attributes of the file: its own, which overrule those that the configuration gives all files.
std::vector<Attribute> attributes_of_file(const Config& config, const FileConfig& file);

/// Those of its variable in files.
std::vector<Attribute> attributes_of_mapping(const MappingConfig& mapping);

/// Adds the entry's attributes to `variable`, whose type is known. Those of the include overrule those of the
/// field or diagnostic, and both overrule what Pileus writes under the same name.
/// Errors: numbers that the type of the variable does not have.
void add_attributes(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings);

/// Checks `coordinates` and `ancillary_variables` of every variable of the file: they must name variables of
/// the same file. `names`: the variable names of all entries.
void check_named_variables(const Draft& draft, const std::vector<const Entry*>& entries,
                           const std::vector<std::string>& names, Findings& findings);

}  // namespace pileus::planning
