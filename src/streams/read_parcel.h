#pragma once
// Makes fields of the bytes of a parcel and checks them against the Plan. Nothing is copied.

#include <memory>

#include "analytics/local_analysis.h"
#include "transport/endpoint.h"
#include "transport/shared/lender.h"

namespace pileus {

/// The fields share the message. `lender`: what can be read of the arrays that `client` lends; null: nothing.
/// Errors: TransportError if the bytes are not what the Plan says `client` sends.
Parcel read_parcel(const Plan& plan, ClientRank client, std::shared_ptr<const Message> message,
                   const Lender* lender = nullptr);

}  // namespace pileus
