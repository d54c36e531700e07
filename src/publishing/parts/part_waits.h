#pragma once
// Texts about what a server's share in files waits for. People who look at a run read them, and the end of a
// run does.

#include <map>
#include <string>
#include <vector>

#include "core/wait.h"
#include "publishing/parts/open_parts.h"

namespace pileus {

/// "profile_100.nc: w: record 3 lacks the parts of ranks 1, 2", for what still waits.
std::vector<std::string> open_texts_of(const Plan& plan, const OwnPieces& own,
                                       const std::map<FilePeriod, OpenParts>& open);

/// The same of what is due, and what is on its way to the disk: a subject for each variable of a file, one
/// for what is written of it.
std::vector<Wait> waits_of(const Plan& plan, const OwnPieces& own,
                           const std::map<FilePeriod, OpenParts>& open);

}  // namespace pileus
