#pragma once
// pileus state: what the checkpoints in a directory are and hold.

#include <string>

namespace pileus::apps {

/// Prints them, for people or as JSON. `directory`: that of a run's files.
/// Status: 0 if all are whole, 1 if one is damaged, 2 if the directory cannot be read.
int state(const std::string& directory, bool as_json);

}  // namespace pileus::apps
