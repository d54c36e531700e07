#pragma once
// What CMIP calls its files and folders, and what they say of themselves: values by name of attribute.

#include <map>
#include <string>
#include <vector>

namespace pileus {

using CmipValues = std::map<std::string, std::string>;

/// The names in "<variable_id><table_id>".
std::vector<std::string> names_in_template(const std::string& pattern);

/// The values of these names with `between` between them. `missing` gets names that have none.
std::string by_template(const std::string& pattern, const CmipValues& values, const std::string& between,
                        std::string& missing);

/// Adds what follows from a variant label: realization_index and so on, of "r1i1p1f1" "1", or with their
/// letters. False where it is none.
bool add_indices(const std::string& variant_label, bool with_letters, CmipValues& values);

/// Adds what follows from "tas_tavg-h2m-hxy-u": branded_variable, branding_suffix and its four labels. False
/// where it is none.
bool add_branding(const std::string& branded, CmipValues& values);

}  // namespace pileus
