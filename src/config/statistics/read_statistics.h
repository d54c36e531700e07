#pragma once
// Named conditions, and the statistics of fields under each of them. They become diagnostics with
// expressions, of which those that compute the same are one.

#include <map>
#include <string>
#include <vector>

#include "config/element_reader.h"

namespace pileus {

/// A <condition>: a diagnostic that is 1 where it holds and 0 elsewhere.
DiagnosticConfig read_condition(const Reading& reading, const ElementReader& condition);

/// The units of all fields and diagnostics, by name with namespace; "" where the configuration gives none.
using UnitsByName = std::map<std::string, std::string>;
UnitsByName units_by_name(const Config& config);

/// The diagnostics that a <statistics> stands for, whose names are those of a group.
struct Statistics {
  std::vector<DiagnosticConfig> diagnostics;
  GroupConfig group;
};

/// Reports words, fields and conditions that there are not; what they would be part of is left out.
Statistics read_statistics(const ElementReader& statistics, const std::string& scope,
                           const UnitsByName& known);

/// The words that its attribute "of" may have.
std::vector<std::string> statistic_words();

}  // namespace pileus
