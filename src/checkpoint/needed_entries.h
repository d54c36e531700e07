#pragma once
// A checkpoint of which a server keeps what it needs alone. It holds one part at a time besides, so that its
// memory does not grow with the state of all model ranks.

#include <functional>
#include <string>

#include "checkpoint/continuation.h"

namespace pileus {

using StateFilter = std::function<bool(const StateEntry&)>;

/// Reads and checks everything, and keeps the entries that `is_needed`. Errors: as read_manifest.
Continuation read_continuation(WholeFiles& files, const std::string& directory, std::int64_t step,
                               const StateFilter& is_needed);

}  // namespace pileus
