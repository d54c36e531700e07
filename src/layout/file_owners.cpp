#include <algorithm>
#include <numeric>

#include "core/step.h"
#include "layout/draft.h"

namespace pileus::planning {
namespace {

/// What the server of a file has to do for each sample of a reduced variable: it merges what all servers have
/// of it, averages it and puts it into the file. It takes as long as to receive and reduce so many bytes
/// (docs/decisions/064-owners-by-what-else-they-do.md).
constexpr double kBytesOfSample = 12e3;

/// As far as it is known before the run: a step counts as a second.
double seconds_between(const Cadence& cadence) {
  if (cadence.is_in_time()) return cadence.every.seconds;
  return static_cast<double>(std::max<std::int64_t>(cadence.steps, 1));
}

/// The length of a step is not known yet, so it counts as a second, and a time that the model decides as an
/// hour.
double seconds_between_records(const Schedule& schedule) {
  if (schedule.at_checkpoints) return 3600;
  if (schedule.manipulation->record_of == RecordOf::each_sample) return seconds_between(schedule.cadence);
  return Boundaries(schedule.output_frequency).period();
}

/// What model ranks hand over to each server, in bytes per model second.
std::vector<double> received_by_servers(const Draft& draft) {
  std::vector<double> bytes_per_s(draft.plan.layout.servers);
  const std::vector<Node>& nodes = draft.graph.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_field() || !nodes[i].is_live || nodes[i].field->is_static) continue;
    const double interval_s = seconds_between(draft.graph.config->data_groups[nodes[i].group].frequency);
    const auto element = static_cast<double>(size_bytes(draft.shapes.fields[i].wire_type));
    for (std::size_t rank = 0; rank < draft.shapes.regions.size(); ++rank) {
      const auto elements = static_cast<double>(draft.shapes.regions[rank][i].size());
      bytes_per_s[draft.plan.layout.server_of(static_cast<ClientRank>(rank))] +=
          elements * element / interval_s;
    }
  }
  return bytes_per_s;
}

/// What each file brings to its server.
std::vector<double> brought_by_files(const Draft& draft) {
  const Plan& plan = draft.plan;
  std::vector<double> bytes_per_s(plan.files.size());
  for (std::size_t i = 0; i < plan.variables.size(); ++i) {
    const Variable& variable = plan.variables[i];
    const Schedule& schedule = plan[variable.schedule];
    const Term& term = draft.terms[draft.variable_terms[i]];
    auto bytes = static_cast<double>(size_bytes(variable.type));
    for (DimensionId dimension : term.dimensions)
      bytes *= static_cast<double>(draft.shapes.dimensions[dimension.index].size);
    bytes_per_s[variable.file.index] += bytes / seconds_between_records(schedule);
    if (term.spread == Spread::rooted)
      bytes_per_s[variable.file.index] += kBytesOfSample / seconds_between(schedule.cadence);
  }
  return bytes_per_s;
}

}  // namespace

void choose_owners(Draft& draft) {
  Plan& plan = draft.plan;
  const std::vector<double> bytes_per_s = brought_by_files(draft);
  std::vector<std::size_t> heaviest_first(plan.files.size());
  std::iota(heaviest_first.begin(), heaviest_first.end(), std::size_t{0});
  std::ranges::stable_sort(heaviest_first,
                           [&](std::size_t a, std::size_t b) { return bytes_per_s[a] > bytes_per_s[b]; });
  std::vector<double> load = received_by_servers(draft);
  for (const std::size_t file : heaviest_first) {
    const auto least = std::ranges::min_element(load);
    plan.files[file].owner = static_cast<ServerRank>(least - load.begin());
    *least += bytes_per_s[file];
  }
}

}  // namespace pileus::planning
