#pragma once
// Who a run is, in its files and beside them.

#include <string>

namespace pileus {

/// What every file of a run shares.
struct RunIdentity {
  std::string id;              ///< in the names of temporary files
  std::string history;         ///< the line of the history attribute: of the first start
  int attempt = 0;             ///< how often the run was continued before; in the names of temporary files
  std::string component = {};  ///< of the job; "" for none; checkpoints have a folder of its name
};

}  // namespace pileus
