// regrid: values on another grid, by weights that tools such as CDO have made.

#include <algorithm>
#include <filesystem>

#include "analytics/operators/list.h"
#include "core/error.h"
#include "weights/target_grid.h"

namespace pileus {
namespace operators {
Declaration regrid();
}
namespace {

using operators::kUnknownSize;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Quantity;

TargetGrid target_of(const operators::Rule& rule) {
  try {
    return read_target_grid(rule.text("to"));
  } catch (const UsageError& error) {
    throw ParameterError("to", error.what());
  }
}

/// The dimensions of the grid, under the names that the configuration gives them.
std::vector<RegridDimension> dimensions_of(const operators::Rule& rule, const TargetGrid& target) {
  const auto names = rule.parameters.contains("target_dimensions") ? rule.list("target_dimensions")
                                                                   : std::vector<std::string>();
  if (!names.empty() && names.size() != target.dimensions.size()) {
    throw ParameterError("to", "the grid has " + std::to_string(target.dimensions.size()) +
                                   " dimensions, and the configuration names " +
                                   std::to_string(names.size()) + " for it");
  }
  std::vector<RegridDimension> dimensions;
  for (std::size_t d = 0; d < target.dimensions.size(); ++d) {
    const TargetDimension& one = target.dimensions[d];
    // In a configuration the slowest stands first, as in files. Meshes of models often have a "cell".
    const std::string usual = one.values.empty() ? target.cells + "_" + one.name : one.name;
    RegridDimension made{names.empty() ? usual : names[names.size() - 1 - d], one.size, one.values,
                         one.bounds};
    if (!one.values.empty()) {
      const bool is_longitude = one.name == "lon";
      made.units = is_longitude ? "degrees_east" : "degrees_north";
      made.standard_name = is_longitude ? "longitude" : "latitude";
      made.axis = is_longitude ? "X" : "Y";
    }
    dimensions.push_back(std::move(made));
  }
  return dimensions;
}

Regridding regridding_of(const operators::Rule& rule) {
  const Quantity& field = rule.inputs.front();
  const std::vector<std::string> names = rule.list("dimensions");
  if (names.empty()) {
    throw ParameterError("dimensions", "which dimensions of \"" + field.name +
                                           "\" are its grid? Write them, or the grid of its field");
  }
  const TargetGrid target = target_of(rule);
  Regridding how;
  how.source_size = 1;
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw ParameterError("dimensions", "\"" + name + "\" is there twice");
    how.axes.push_back(rule.axis("dimensions", field, name));
    how.source_size *= std::max<Index>(field.dimensions[static_cast<std::size_t>(how.axes.back())].size, 1);
  }
  std::ranges::sort(how.axes);
  if (how.axes.back() - how.axes.front() + 1 != static_cast<int>(how.axes.size()))
    throw ParameterError("dimensions", "\"" + field.name + "\" has other dimensions between them");
  how.dimensions = dimensions_of(rule, target);
  how.target_size = target.size();
  how.file = rule.text("weights");
  // On the desk, where nobody knows the model, they may not be there yet.
  const bool is_run = field.dimensions[static_cast<std::size_t>(how.axes.front())].size != kUnknownSize;
  if (is_run && !std::filesystem::exists(how.file)) {
    throw ParameterError("weights",
                         "there is no file \"" + how.file +
                             "\"; make it with \"pileus weights\" and a file of the model's grids");
  }
  how.links_name = how.file;
  how.missing = rule.text("missing") == "missing" ? LinkMissing::missing : LinkMissing::scaled;
  how.has_holes = true;
  return how;
}

}  // namespace

Declaration operators::regrid() {
  Declaration declaration{
      "regrid",
      "Values on another grid, each a sum of values on the field's grid times their weights, which a file "
      "has.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result that is regridded"},
       {"to",
        ParameterKind::text,
        true,
        "",
        {},
        "the other grid: its name in the configuration, or \"r360x180\", \"F32\", \"hp32\", "
        "\"lon=-10:30:0.5, "
        "lat=35:70:0.5\""},
       {"method",
        ParameterKind::word,
        false,
        "conservative",
        {"conservative", "bilinear", "nearest", "distance"},
        "of which the weights are"},
       {"weights",
        ParameterKind::text,
        false,
        "",
        {},
        "the file of weights; otherwise weights/GRID-to-GRID-METHOD.nc beside the configuration"},
       {"dimensions",
        ParameterKind::names,
        false,
        "",
        {},
        "the dimensions of the field's grid, if the configuration does not say which grid that is"},
       {"missing",
        ParameterKind::word,
        false,
        "scaled",
        {"scaled", "missing"},
        "where some values are missing: the weights of the others are scaled, or the result is missing"}},
      RuleKind::regrid};
  declaration.regrid = regridding_of;
  return declaration;
}

}  // namespace pileus
