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

GridOfFile described_grid(const std::string& cells) {
  const TargetGrid target = read_target_grid(cells);
  GridOfFile grid{{}, target.places};
  for (const TargetDimension& one : target.dimensions) {
    // Meshes of models often have a "cell".
    grid.dimensions.push_back(one.values.empty() ? RegridDimension{target.cells + "_" + one.name, one.size}
                                                 : axis_in_degrees(one, one.name == "lon"));
  }
  return grid;
}

/// Where its file has it, `read` reads it.
GridOfFile target_of(const operators::Rule& rule, const ReadGrid& read) {
  const bool is_of_file = rule.parameters.contains("target_file");
  try {
    if (!is_of_file) return described_grid(rule.text("to"));
    if (!read) throw UsageError("this program reads no grids of files");
    GridOfFile grid = read(rule.text("target_file"));
    if (!grid.places) return grid;
    auto named = std::make_shared<PlacesOfCells>(*grid.places);
    named->grid = rule.text("target_name");
    grid.places = std::move(named);
    return grid;
  } catch (const UsageError& error) {
    throw ParameterError(is_of_file ? "file" : "to", error.what());
  }
}

/// Gives dimensions the names that the configuration has for them, the slowest first, as in files.
void rename_dimensions(const operators::Rule& rule, std::vector<RegridDimension>& dimensions) {
  const auto names = rule.parameters.contains("target_dimensions") ? rule.list("target_dimensions")
                                                                   : std::vector<std::string>();
  if (names.empty()) return;
  if (names.size() != dimensions.size()) {
    throw ParameterError("to", "the grid has " + std::to_string(dimensions.size()) +
                                   " dimensions, and the configuration names " +
                                   std::to_string(names.size()) + " for it");
  }
  for (std::size_t d = 0; d < names.size(); ++d) dimensions[names.size() - 1 - d].name = names[d];
}

/// Errors: weights that nobody has made yet, and nobody can make.
void check_corners(const operators::Rule& rule, const GridOfFile& target) {
  if (!rule.parameters.contains("target_file") || rule.text("method") != "conservative") return;
  const bool has_corners =
      target.places
          ? target.places->corners > 0
          : std::ranges::none_of(target.dimensions, [](const auto& one) { return one.bounds.empty(); });
  if (has_corners || std::filesystem::exists(rule.text("weights"))) return;
  throw ParameterError(
      "file", rule.text("target_file") + ": it has no bounds of its cells, which conservative weights need");
}

Regridding regridding_of(const operators::Rule& rule, const ReadGrid& read) {
  const Quantity& field = rule.inputs.front();
  const std::vector<std::string> names = rule.list("dimensions");
  if (names.empty()) {
    throw ParameterError("dimensions", "which dimensions of \"" + field.name +
                                           "\" are its grid? Write them, or the grid of its field");
  }
  GridOfFile target = target_of(rule, read);
  rename_dimensions(rule, target.dimensions);
  check_corners(rule, target);
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
  how.target_size = target.size();
  how.dimensions = std::move(target.dimensions);
  how.places = std::move(target.places);
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
        "lat=35:70:0.5\". The grid's file= names a file that has it"},
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
