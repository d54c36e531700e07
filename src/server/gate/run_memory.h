#pragma once
// How the budgets of the servers are shared between parcels as they come and what is made of steps.

#include <cstdint>

#include "config/config.h"
#include "plan/plan.h"
#include "server/gate/memory_account.h"

namespace pileus {

/// Bytes of parcels that each of `clients` clients may have outstanding at one server, where it needs nothing
/// else.
std::uint64_t budget_of_client(const Config& config, std::size_t clients);

/// The memory of each server: parcels leave some for windows and for the largest step, and steps for windows.
RunMemory run_memory(const Config& config, const Plan& plan);

/// So many bytes of each model rank's parcels wait in memory for the clock to come to their step, where
/// others are laid aside. REQUIRES: the configuration says where.
std::uint64_t most_early_bytes(const RunMemory& memory, ServerRank self);
/// So many messages may be laid aside, as each of them takes memory too.
std::uint64_t most_spilled_messages(const Config& config);

/// Servers say that steps are done, or have arrived, when they are so many: few enough that the clock need
/// not wait for the word. The same on all, as they pass it on for each other.
std::uint64_t steps_to_tell_at_once(const Plan& plan, const RunMemory& memory);

}  // namespace pileus
