#pragma once
// Numbers that are read from environment variables.

#include <optional>
#include <string>
#include <vector>

#include "core/pushdown.h"

namespace pileus {

/// A positive number of seconds; nullopt if the variable is not set, or is no such number.
std::optional<double> seconds_from_environment(const char* variable);

/// Whether processes of one node share memory: PILEUS_SHARED_MEMORY is "yes", "no" or, as where it is not
/// set, "auto": where MPI must copy twice between them.
enum class SharesMemory { no, automatic, yes };
SharesMemory shares_memory();

/// What model ranks hand over in place of fields: PILEUS_PUSHDOWN is "no" for whole fields, "yes" for what
/// servers of other nodes would get, or, as where it is not set, "auto": as the configuration says.
Pushdown pushdown_of_environment();

/// Whether the values that several ranks hand over of one point are compared: PILEUS_CHECK_SHARED_POINTS is
/// "yes".
bool checks_shared_points();

/// Mistakes in environment variables, whose values are then ignored. All processes of a job read the
/// variables; only one reports these.
std::vector<std::string> mistakes_of_environment();

}  // namespace pileus
