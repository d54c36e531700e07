#include "explain/packed_variables.h"

#include <algorithm>

#include "analytics/rule_runner.h"
#include "formats/netcdf/netcdf_format.h"

namespace pileus::explain {

PackedVariables::PackedVariables(const Plan& plan) : plan_(&plan) {
  const auto is_packed = [](const Variable& variable) { return variable.storage.compression.is_packed(); };
  if (std::ranges::none_of(plan.variables, is_packed)) return;
  files_ = posix_file_system();
  format_ = netcdf_format(*files_);
  regions_ = regions_of_parts(plan);
  packing_ = Packing(plan, *format_, regions_);
}

}  // namespace pileus::explain
