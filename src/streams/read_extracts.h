#pragma once
// What has come in place of a field, as the values that it is to the rules of a server.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "analytics/local_analysis.h"
#include "plan/extracts.h"

namespace pileus {

/// Adds to the parcel the values that lie in `bytes`, where the field itself has its place; `owner` keeps
/// them. Returns what is wrong with them, if anything is.
std::optional<std::string> read_extracts(const Plan& plan, ClientRank client, FieldId field,
                                         const std::vector<ExtractDemand>& extracts,
                                         std::span<const std::byte> bytes,
                                         const std::shared_ptr<const void>& owner, Parcel& parcel);

}  // namespace pileus
