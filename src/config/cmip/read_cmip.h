#pragma once
// <cmip-dataset>: files as CMIP wants them. Each <cmip> becomes a <file> of one variable, and a diagnostic
// where the sign of the field is the other one; whoever comes after the reader knows of no CMIP.

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

struct CmipFiles {
  std::vector<FileConfig> files;
  std::vector<DiagnosticConfig> diagnostics;  ///< of turned fields; several may be the same
};

/// Reports what the tables and the vocabulary do not allow. `units`: of all fields and diagnostics.
CmipFiles read_cmip(const ElementReader& dataset, const std::string& scope,
                    const std::map<std::string, std::string>& units, const FindInclude& find_file);

}  // namespace pileus
