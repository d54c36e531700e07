#pragma once
// pileus state: lists the checkpoints in a directory and what they hold.

#include <string>

namespace pileus::apps {

/// Prints the checkpoints, for people or as JSON. `directory`: where a run's files are.
/// Status: 0 if all are whole, 1 if one is damaged, 2 if the directory cannot be read.
int state(const std::string& directory, bool as_json);

}  // namespace pileus::apps
