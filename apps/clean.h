#pragma once
// pileus clean: removes what killed runs left in a directory, never a published file.

#include <string>

namespace pileus::apps {

struct CleanSettings {
  bool is_dry = false;     ///< says what it would remove, but removes nothing
  bool asks = true;        ///< asks before it removes anything
  bool takes_all = false;  ///< removes complete checkpoints and what they refer to, too, as nobody continues
                           ///< any more
  double idle_hours = 24;  ///< a run may be live if it wrote within so many hours
};

/// Status: 0 if it is done, or there is nothing to do; 1 if something is left because a run may be live or
/// the user said no; 2 if the directory cannot be read, or something cannot be removed.
int clean(const std::string& directory, const CleanSettings& settings);

}  // namespace pileus::apps
