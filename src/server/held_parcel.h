#pragma once
// A parcel as the server's lane takes it: its bytes count as held while anybody needs them, and its step is
// not done until then.

#include <memory>

#include "report/activity.h"
#include "streams/arrival.h"
#include "streams/open_steps.h"
#include "streams/read_parcel.h"
#include "transport/endpoint.h"

namespace pileus {

/// `lender`: as of read_parcel. A parcel with arrays that are lent, which are not in it, is not laid aside.
/// Errors: those of read_parcel. REQUIRES: the gauge outlives all that the message is needed for.
Arrival held_parcel(ParcelReader& reader, ClientRank client, std::shared_ptr<const Message> message,
                    const Lender* lender, Gauge& bytes, OpenSteps& steps);

/// The parcel of a message that held_parcel() made and that was laid aside. `was_read`: its memory was free
/// meanwhile; otherwise it is counted already, and has its step.
Arrival parcel_again(ParcelReader& reader, ClientRank client, std::shared_ptr<const Message> message,
                     bool was_read, Gauge& bytes, OpenSteps& steps);

}  // namespace pileus
