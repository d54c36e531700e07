#include "explain/packed_variables.h"

#include <algorithm>

#include "analytics/rule_runner.h"
#include "formats/netcdf/netcdf_format.h"

namespace pileus::explain {

PackedVariables::PackedVariables(const Plan& plan) : plan_(&plan) {
  bool are_there = !plan.levels.empty();
  for (std::size_t v = 0; v < plan.variables.size(); ++v)
    are_there =
        are_there || plan.variables[v].storage.compression.is_packed() || is_in_slabs(plan, VariableId(v));
  if (!are_there) return;
  files_ = posix_file_system();
  format_ = netcdf_format(*files_);
  regions_ = regions_of_parts(plan);
  packing_ = Packing(plan, *format_, regions_);
}

}  // namespace pileus::explain
