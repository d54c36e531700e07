#include <algorithm>

#include "core/step.h"
#include "layout/draft.h"

namespace pileus::planning {
namespace {

/// As far as it is known before the run: a step counts as a second.
double seconds_between(const Cadence& cadence) {
  if (cadence.is_in_time()) return cadence.every.seconds;
  return static_cast<double>(std::max<std::int64_t>(cadence.steps, 1));
}

}  // namespace

void choose_owners(Draft& draft) {
  Plan& plan = draft.plan;
  std::vector<double> bytes_per_s(plan.files.size());
  for (std::size_t i = 0; i < plan.variables.size(); ++i) {
    const Variable& variable = plan.variables[i];
    const Schedule& schedule = plan[variable.schedule];
    auto bytes = static_cast<double>(size_bytes(variable.type));
    for (DimensionId dimension : draft.terms[draft.variable_terms[i]].dimensions) {
      bytes *= static_cast<double>(draft.shapes.dimensions[dimension.index].size);
    }
    // The length of a step is not known yet, so it counts as a second, and a time that the model decides as
    // an hour.
    const double interval_s = schedule.at_checkpoints ? 3600
                              : schedule.manipulation->record_of == RecordOf::each_sample
                                  ? seconds_between(schedule.cadence)
                                  : Boundaries(schedule.output_frequency).period();
    bytes_per_s[variable.file.index] += bytes / interval_s;
  }

  std::vector<std::size_t> heaviest_first(plan.files.size());
  for (std::size_t i = 0; i < heaviest_first.size(); ++i) heaviest_first[i] = i;
  std::stable_sort(heaviest_first.begin(), heaviest_first.end(),
                   [&](std::size_t a, std::size_t b) { return bytes_per_s[a] > bytes_per_s[b]; });
  std::vector<double> load(plan.layout.servers);
  for (std::size_t file : heaviest_first) {
    const auto least = std::min_element(load.begin(), load.end());
    plan.files[file].owner = static_cast<ServerRank>(least - load.begin());
    *least += bytes_per_s[file];
  }
}

}  // namespace pileus::planning
