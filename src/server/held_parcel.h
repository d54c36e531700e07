#pragma once
// A parcel as the server's lane takes it: its bytes count as held while anybody needs them, and its step is
// not done until then.

#include <memory>

#include "plan/plan.h"
#include "report/activity.h"
#include "streams/arrival.h"
#include "streams/open_steps.h"
#include "transport/endpoint.h"

namespace pileus {

/// Errors: those of read_parcel. REQUIRES: the gauge outlives all that the message is needed for.
Arrival held_parcel(const Plan& plan, ClientRank client, std::shared_ptr<const Message> message, Gauge& bytes,
                    OpenSteps& steps);

}  // namespace pileus
