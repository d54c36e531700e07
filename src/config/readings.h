#pragma once
// What a component reads of the files that other components of the job publish.

#include <map>
#include <string>

#include "config/config.h"
#include "core/error.h"

namespace pileus {

/// Whether any of its fields is in files of another component.
bool reads_files(const Config& config);

/// Reports what is wrong with what the component reads: components, files and variables that there are not,
/// a circle. Notes at its own files who reads them. `others`: the configurations of the other components.
void check_readings(const std::string& component, const std::map<std::string, Config>& others, Config& config,
                    Findings& findings);

}  // namespace pileus
