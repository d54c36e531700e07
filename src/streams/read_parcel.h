#pragma once
// Makes fields of the bytes of a parcel and checks them against the Plan. Nothing is copied.

#include <map>
#include <memory>

#include "analytics/local_analysis.h"
#include "plan/extracts.h"
#include "transport/endpoint.h"
#include "transport/shared/lender.h"

namespace pileus {

/// The fields share the message. `extracts`: those that the rank may hand over in place of fields.
/// `lender`: what can be read of the arrays that `client` lends; null: nothing.
/// Errors: TransportError if the bytes are not what the Plan says `client` sends.
Parcel read_parcel(const Plan& plan, ClientRank client, const FieldExtracts& extracts,
                   std::shared_ptr<const Message> message, const Lender* lender = nullptr);

/// Reads the parcels of all ranks of a server. It finds what a rank may hand over in its first parcel.
class ParcelReader {
 public:
  /// REQUIRES: the plan outlives it.
  explicit ParcelReader(const Plan& plan) : plan_(plan) {}
  Parcel read(ClientRank client, std::shared_ptr<const Message> message, const Lender* lender = nullptr);

 private:
  const Plan& plan_;
  std::map<ClientRank, FieldExtracts> extracts_;
};

}  // namespace pileus
