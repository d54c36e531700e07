// The call of pileus.h that says which points of the domain a rank holds.

#include <string>

#include "capi/arguments.h"
#include "capi/boundary.h"
#include "core/error.h"
#include "pileus/pileus.h"

namespace {

using pileus::guard_session;
using pileus::require;
using pileus::require_rank;
using pileus::Session;
using pileus::UsageError;

constexpr const char* kCall = "pileus_points";

pileus::ModelPoints points_of(const char* name, int rank, const char* const* dimensions, int flags) {
  require(name, kCall, "the name");
  require_rank(kCall, rank);
  if (rank > 0) require(dimensions, kCall, "the list of dimensions");
  pileus::ModelPoints points{name, {}};
  for (int d = 0; d < rank; ++d) {
    require(dimensions[d], kCall, "the name of a dimension");
    points.dimensions.emplace_back(dimensions[d]);
  }
  if ((flags & ~PILEUS_SHARED_POINTS) != 0)
    throw UsageError("pileus_points: unknown flags " + std::to_string(flags) +
                     "; there is PILEUS_SHARED_POINTS");
  points.may_be_shared = (flags & PILEUS_SHARED_POINTS) != 0;
  return points;
}

}  // namespace

extern "C" pileus_status pileus_points(pileus_run* handle, const char* name, int rank,
                                       const char* const* dimensions, int local_rank,
                                       const int64_t* local_count, const int64_t* indices, int flags) {
  return guard_session(handle, kCall, [&](Session& session) {
    pileus::ModelPoints points = points_of(name, rank, dimensions, flags);
    require_rank(kCall, local_rank);
    if (local_rank > 0) require(local_count, kCall, "local_count");
    const pileus::Extents counts(local_count, local_count + local_rank);
    session.client().points(std::move(points), counts, indices);
    return PILEUS_OK;
  });
}
