#pragma once
// The values that model ranks contribute to trees go through this interface. Streams call it, and the trees
// are behind it.

#include <cstdint>
#include <memory>

#include "analytics/tree_values.h"
#include "core/ids.h"

namespace pileus {

class Contributions {
 public:
  /// One rank's values of one step. Thread-safe. Order: of one rank and tree, by increasing step.
  virtual void add(ClientRank client, std::size_t tree, std::int64_t step,
                   std::unique_ptr<TreeValues> values) = 0;
  /// The rank contributes to no step after `last_step`. Thread-safe. Order: after its last contribution.
  virtual void end(ClientRank client, std::int64_t last_step) = 0;

  virtual ~Contributions() = default;
};

}  // namespace pileus
