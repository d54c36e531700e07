#pragma once
// Triggers. Their conditions become diagnostics, and stand step by step in a file of their own: servers read
// there whether they hold, and people afterwards.

#include <vector>

#include "config/element_reader.h"

namespace pileus {

struct ReadTrigger {
  TriggerConfig trigger;
  std::vector<DiagnosticConfig> conditions;
};

/// A <trigger>. `scope`: the namespaces around it, in which the names of its conditions are looked up.
ReadTrigger read_trigger(const Reading& reading, const ElementReader& element, const std::string& scope);

/// The files with the conditions, in the order of the triggers.
std::vector<FileConfig> files_of_triggers(const std::vector<TriggerConfig>& triggers);

}  // namespace pileus
