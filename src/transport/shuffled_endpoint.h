#pragma once
// An endpoint whose messages come in another order: any that its senders' orders allow. For runs that are to
// show that nothing depends on it.

#include <cstdint>
#include <memory>

#include "transport/endpoint.h"

namespace pileus {

/// Messages of different peers overtake each other, picked by `seed`; those of one peer keep their order.
/// REQUIRES: `endpoint` outlives it.
std::unique_ptr<Endpoint> shuffle(Endpoint& endpoint, std::uint64_t seed);

}  // namespace pileus
