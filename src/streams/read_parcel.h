#pragma once
// From the bytes of a parcel to its fields, checked against the Plan; nothing is copied.

#include <memory>

#include "analytics/local_analysis.h"
#include "transport/endpoint.h"

namespace pileus {

/// The fields share the message. Errors: TransportError if the bytes are not what the Plan says `client`
/// sends.
Parcel read_parcel(const Plan& plan, ClientRank client, std::shared_ptr<const Message> message);

}  // namespace pileus
