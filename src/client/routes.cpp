#include "client/routes.h"

#include <algorithm>

#include "client/extracts.h"
#include "client/strided_copy.h"
#include "core/environment.h"
#include "core/error.h"

namespace pileus {
namespace {

void require_known_needs(const Demand& demand) {
  for (const GroupDemand& group : demand.groups) {
    for (const FieldDemand& field : group.fields)
      for (const std::uint32_t need : field.needs)
        if (need >= demand.needs.size())
          throw TransportError("the servers want field \"" + field.name +
                               "\" for a reason that they do not give");
  }
}

/// The registered number of `field`; -1 if this rank does not have it and need not have it.
int number_of(const FieldDemand& field, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), field.name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  if (field.is_optional) return -1;
  throw TransportError("the servers want field \"" + field.name + "\", which this rank did not register");
}

void require_conversion(const ModelField& registered, const FieldDemand& field) {
  if (can_convert(registered.type, field.type)) return;
  Findings findings;
  findings.error({}, "field \"" + field.name + "\" is " + std::string(name(field.type)) +
                         " in the configuration and " + std::string(name(registered.type)) +
                         " in the model, which does not fit into it; change data_type in the configuration");
  throw ConfigError(findings);
}

}  // namespace

Routes match(const Demand& demand, const Registration& registration, bool is_near) {
  require_known_needs(demand);
  const std::vector<std::string> names = registration.field_names();
  const Pushdown pushdown = pushdown_of_environment();
  Routes routes;
  routes.fields.resize(names.size());
  for (std::uint32_t g = 0; g < demand.groups.size(); ++g) {
    GroupRoute& group = routes.groups.emplace_back();
    for (std::uint32_t place = 0; place < demand.groups[g].fields.size(); ++place) {
      const FieldDemand& field = demand.groups[g].fields[place];
      const int number = number_of(field, names);
      group.fields.push_back(number);
      group.sizes_bytes.push_back(0);
      if (number < 0) continue;
      const ModelField& registered = registration[number];
      require_conversion(registered, field);
      std::vector<FieldRoute>& ways = routes.fields[static_cast<std::size_t>(number)];
      if (!ways.empty() && ways.back().group == g)
        throw TransportError("the servers want field \"" + field.name + "\" twice in a group");
      ways.push_back({g, place, field.type, field.is_optional, field.is_sent});
      require_extracts(field, registered.region.count);
      const bool is_whole = field.extracts.empty() || pushdown == Pushdown::no ||
                            (field.is_for_far_servers && is_near && pushdown != Pushdown::yes);
      if (!is_whole) ways.back().extracts = &field;
      group.sizes_bytes.back() =
          is_whole ? static_cast<std::uint64_t>(registered.region.size()) * size_bytes(field.type)
                   : extract_offsets(field.extracts, registered.region.count).back();
    }
  }
  return routes;
}

}  // namespace pileus
