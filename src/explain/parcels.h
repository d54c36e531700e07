#pragma once
// The parcels of a model rank whose server is on its node, with the layout that its client gives them.

#include <cstdint>
#include <vector>

#include "client/parcel_writer.h"
#include "core/model_description.h"
#include "plan/plan.h"

namespace pileus::explain {

class Parcels {
 public:
  Parcels(const Plan& plan, ClientRank rank, const RankDescription& registered);

  struct Parcel {
    std::size_t group = 0;
    std::uint64_t bytes = 0;
  };
  /// The parcels that it sends in the step which `needs` was shown last.
  std::vector<Parcel> sizes_bytes(const NeedTracker& needs);

 private:
  struct Group {
    ParcelWriter parcel;
    std::vector<std::uint32_t> sent;  ///< places of the fields that this rank sends
  };

  const Plan& plan_;
  std::vector<Group> groups_;
};

}  // namespace pileus::explain
