#include "server/needed_state.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/held_regions.h"
#include "time/continued_windows.h"

namespace pileus {
namespace {

constexpr const char* kWindow = "window";  // as time/window_set names them

/// By the key of a distributed variable's windows: what this server's model ranks have of it.
using OwnParts = std::map<std::string, std::vector<Region>>;

OwnParts own_parts(const Plan& plan, ServerRank self) {
  OwnParts parts;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    if (plan[plan.variables[v].value].spread == Spread::distributed) parts[window_key(plan, VariableId(v))];
  }
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    if (plan.layout.server_of(client) != self) continue;
    const std::vector<Region> regions = regions_of_client(plan, client);
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
      const auto found = parts.find(window_key(plan, VariableId(v)));
      if (found != parts.end()) found->second.push_back(regions[plan.variables[v].value.index]);
    }
  }
  return parts;
}

/// Who takes the entry says that a region of another rank is wrong.
bool may_be_taken(const StateEntry& entry, const Region& part) {
  return entry.region.rank() != part.rank() || common(entry.region, part).size() > 0;
}

}  // namespace

StateFilter state_needed_on(const Plan& plan, ServerRank self) {
  const auto parts = std::make_shared<const OwnParts>(own_parts(plan, self));
  return [parts](const StateEntry& entry) {
    if (entry.kind != kWindow) return true;
    const auto found = parts->find(entry.key);
    if (found == parts->end()) return true;  // of a root, or of no variable of this run
    return std::ranges::any_of(found->second, [&](const Region& part) { return may_be_taken(entry, part); });
  };
}

}  // namespace pileus
