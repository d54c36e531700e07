#pragma once
// What model ranks contribute to what several of them make together goes through this interface. Streams call
// it; trees, and servers that deal points out, are behind it.

#include <cstdint>
#include <memory>

#include "analytics/local_analysis.h"
#include "analytics/tree_values.h"
#include "core/ids.h"

namespace pileus {

class Contributions {
 public:
  /// One rank's values of one step. Thread-safe. Order: of one rank and tree, by increasing step.
  virtual void add(ClientRank client, std::size_t tree, std::int64_t step,
                   std::unique_ptr<TreeValues> values) = 0;
  /// What the rank hands over of the fields on points of a group in one step: it goes to streams that have
  /// these points. Thread-safe. Order: of one rank and group, by increasing step.
  virtual void deal(ClientRank client, GroupId group, std::int64_t step, PointSamples samples) = 0;
  /// What the rank has of the inputs of a group of regriddings in one step; the results come back to streams.
  /// Thread-safe. Order: any.
  virtual void regrid(ClientRank client, std::size_t group, std::int64_t step, RegridSamples samples) = 0;
  /// The rank contributes to no step after `last_step`. Thread-safe. Order: after its last contribution.
  virtual void end(ClientRank client, std::int64_t last_step) = 0;

  virtual ~Contributions() = default;
};

}  // namespace pileus
