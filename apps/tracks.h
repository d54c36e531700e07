#pragma once
// pileus tracks: tables of objects that a run followed, as one contiguous ragged array.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pileus::apps {

struct TracksSettings {
  std::vector<std::string> files;
  std::string output;
  std::string identity;                  ///< the variable with the identities of the rows
  std::vector<std::string> coordinates;  ///< variables of the rows that say where objects are
  std::string gone, into;                ///< variables of track_ends
};

/// Adds the command to the program's. What it is given goes to `settings`, which outlives it.
CLI::App* add_tracks(CLI::App& app, TracksSettings& settings);

/// Status: 0; 1 if tables were full, so that objects may lack. Errors: UsageError about a file that does not
/// fit, OutputError.
int tracks(const TracksSettings& settings);

}  // namespace pileus::apps
