#pragma once
// Plans of a few files, made by hand, for the tests of this room.

#include <numeric>
#include <string>
#include <vector>

#include "core/array.h"
#include "plan/plan.h"

namespace pileus::testing {

struct SmallPlan {
  Plan plan;

  DimensionId dimension(const std::string& name, Index size) {
    plan.dimensions.push_back({name, size, {}, ""});
    return DimensionId(plan.dimensions.size() - 1);
  }
  FileId file(const std::string& name, const Frequency& write_frequency) {
    plan.files.emplace_back().name = name;
    plan.files.back().write_frequency = write_frequency;
    return FileId(plan.files.size() - 1);
  }
  ScheduleId axis(FileId file, Manipulation manipulation, const Frequency& output_frequency,
                  std::int64_t cadence = 1) {
    const ScheduleId id(plan.schedules.size());
    auto& schedules = plan.files[file.index].schedules;
    const std::string name = "time" + (schedules.empty() ? "" : std::to_string(schedules.size()));
    plan.schedules.push_back({file, manipulation, output_frequency, cadence, name});
    schedules.push_back(id);
    return id;
  }
  VariableId variable(const std::string& name, ScheduleId schedule, Spread spread,
                      std::vector<DimensionId> dimensions, ElementType type = ElementType::float64) {
    Value value;
    value.name = name;
    value.spread = spread;
    value.dimensions = std::move(dimensions);
    const std::vector<DimensionId> as_in_memory = value.dimensions;
    plan.values.push_back(std::move(value));
    const FileId file = plan[schedule].file;
    const VariableId id(plan.variables.size());
    plan.variables.push_back({name, file, schedule, ValueId(plan.values.size() - 1), type, {}, as_in_memory});
    plan.files[file.index].variables.push_back(id);
    return id;
  }
};

/// first, first + 1, …
inline Array numbers(std::vector<Index> extents, double first) {
  std::vector<double> values(static_cast<std::size_t>(Region{{}, extents}.size()));
  std::iota(values.begin(), values.end(), first);
  return make_array(std::move(values), std::move(extents));
}

}  // namespace pileus::testing
