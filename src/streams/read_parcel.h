#pragma once
// Makes fields of the bytes of a parcel and checks them against the Plan. Nothing is copied.

#include <map>
#include <memory>

#include "analytics/local_analysis.h"
#include "plan/extracts.h"
#include "transport/endpoint.h"

namespace pileus {

/// The fields share the message. `extracts`: those that the rank may hand over in place of fields.
/// Errors: TransportError if the bytes are not what the Plan says `client` sends.
Parcel read_parcel(const Plan& plan, ClientRank client, const FieldExtracts& extracts,
                   std::shared_ptr<const Message> message);

/// Reads the parcels of all ranks of a server. It finds what a rank may hand over in its first parcel.
class ParcelReader {
 public:
  /// REQUIRES: the plan outlives it.
  explicit ParcelReader(const Plan& plan) : plan_(plan) {}
  Parcel read(ClientRank client, std::shared_ptr<const Message> message);

 private:
  const Plan& plan_;
  std::map<ClientRank, FieldExtracts> extracts_;
};

}  // namespace pileus
