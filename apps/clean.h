#pragma once
// pileus clean: removes what killed runs left in a directory, never a published file.

#include <string>

namespace pileus::apps {

struct CleanSettings {
  bool is_dry = false;     ///< says what it would remove, and removes nothing
  bool asks = true;        ///< before it removes
  bool takes_all = false;  ///< complete checkpoints and what they refer to, too: nobody continues any more
  double idle_hours = 24;  ///< a run that wrote later than that may be live
};

/// Status: 0 done, or there is nothing to do; 1 something stays, as a run may be live, or was not wanted;
/// 2 the directory cannot be read, or something cannot be removed.
int clean(const std::string& directory, const CleanSettings& settings);

}  // namespace pileus::apps
