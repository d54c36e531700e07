#include "layout/levels/levels.h"

#include <algorithm>

#include "layout/metadata.h"

namespace pileus::planning {
namespace {

bool is_real(const Variable& variable) {
  return variable.type == ElementType::float32 || variable.type == ElementType::float64;
}

Index divided_up(Index value, Index by) { return (value + by - 1) / by; }

/// How many levels a dimension has until it has one element.
int levels_of(Index size, Index ratio) {
  int levels = 1;
  for (; size > 1; size = divided_up(size, ratio)) ++levels;
  return levels;
}

class Levels {
 public:
  Levels(const Draft& draft, const FileConfig& config, const std::vector<const Entry*>& entries,
         const std::vector<Variable*>& variables, PlannedFile& file, Findings& findings)
      : draft_(draft),
        config_(config),
        entries_(entries),
        variables_(variables),
        file_(file),
        findings_(findings) {}

  void choose() {
    file_.levels = static_cast<int>(config_.levels);
    check_names();
    bool is_known = true;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      is_known = is_known && !draft_.terms[*draft_.values[entries_[i]->node]].is_unknown_shape;
      take(*entries_[i], *variables_[i]);
    }
    if (file_.coarsened.empty() && is_known && !findings_.has_errors())
      report(findings_, config_.levels_where,
             label() +
                 ": nothing in it has horizontal dimensions, of which coarser levels have fewer elements; "
                 "name others by level_dimensions, or remove levels");
  }

 private:
  using Ratios = std::map<DimensionId, Index>;

  std::string label() const {
    return "file " + quoted(config_.name.value) + " has levels=\"" + std::to_string(config_.levels) + "\"";
  }
  std::string named(const Entry& entry) const {
    return quoted(entry.name.value) + " in file " + quoted(config_.name.value) + ": ";
  }
  const PlannedDimension& dimension(DimensionId id) const { return draft_.shapes.dimensions[id.index]; }

  void check_names() const {
    for (const Text& name : config_.level_dimensions) {
      const bool is_there = std::ranges::any_of(variables_, [&](const Variable* variable) {
        return std::ranges::any_of(variable->dimensions,
                                   [&](DimensionId id) { return dimension(id).name == name.value; });
      });
      if (!is_there && !draft_.shapes.is_imagined)
        report(findings_, name.where,
               "level_dimensions: nothing in file " + quoted(config_.name.value) + " has a dimension " +
                   quoted(name.value));
    }
  }

  void take(const Entry& entry, const Variable& variable) {
    const Ratios ratios = ratios_of(entry, variable);
    if (ratios.empty()) return;
    if (!is_real(variable)) {
      if (!entry.is_of_grid)
        findings_.note(entry.name.where, named(entry) +
                                             "whole numbers, truth values and texts have no means, "
                                             "so that it is in the first level alone");
      return;
    }
    if (!draft_.is_static[entry.node]) {
      refuse_storage(entry);
      if (!draft_.shapes.is_imagined) check_size(entry, ratios);
    }
    file_.coarsened.insert(ratios.begin(), ratios.end());
  }

  /// Levels are made of what stands in the file, which is not known there when they are.
  void refuse_storage(const Entry& entry) const {
    const StorageConfig storage = storage_of(draft_, entry);
    if (storage.write_if)
      report(
          findings_, entry.name.where,
          named(entry) + "write_if leaves records out, and levels are made of each: remove one of the two");
    if (storage.information)
      report(findings_, entry.name.where,
             named(entry) +
                 "precision_from learns how far it is rounded, and levels are made of rounded "
                 "values: use significant_bits or error, or remove levels");
  }

  void check_size(const Entry& entry, const Ratios& ratios) const {
    int most = 1;
    std::string sizes;
    for (const auto& [id, ratio] : ratios) {
      const Index cells = ratio == kChildren ? dimension(id).size / kBaseCells : dimension(id).size;
      most = std::max(most, levels_of(cells, ratio));
      sizes += (sizes.empty() ? "" : " and ") + std::to_string(dimension(id).size) + " along " +
               quoted(dimension(id).name);
    }
    if (file_.levels <= most) return;
    report(findings_, config_.levels_where,
           label() + ": " + quoted(entry.name.value) + " has " + sizes + ", which are enough for " +
               std::to_string(most) + (most == 1 ? " level" : " levels"));
  }

  Ratios ratios_of(const Entry& entry, const Variable& variable) {
    Ratios ratios;
    const auto has = [&](DimensionId id) {
      return std::ranges::find(variable.dimensions, id) != variable.dimensions.end();
    };
    for (const PlacedGrid& grid : draft_.shapes.placed) {
      if (!std::ranges::all_of(grid.dimensions, has)) continue;
      if (grid.places->nested_nside > 0) {
        if (is_wanted(grid.dimensions.front())) ratios[grid.dimensions.front()] = kChildren;
      } else if (grid.dimensions.size() == 1) {
        refuse_points(entry, grid.dimensions.front());
      } else {
        for (const DimensionId id : grid.dimensions) add(id, ratios);
      }
    }
    for (const std::vector<DimensionId>& grid : grids_of(entry, variable)) {
      const bool is_line = grid.size() == 1 && !is_horizontal(grid.front());
      if (is_line && !ratios.contains(grid.front()))
        refuse_points(entry, grid.front());
      else if (!is_line)
        for (const DimensionId id : grid) add(id, ratios);
    }
    for (const DimensionId id : variable.dimensions)
      if (is_horizontal(id) || is_named(id)) add(id, ratios);
    return ratios;
  }

  void add(DimensionId id, Ratios& ratios) const {
    if (is_wanted(id)) ratios.try_emplace(id, 2);
  }
  bool is_named(DimensionId id) const {
    return std::ranges::find(config_.level_dimensions, dimension(id).name, &Text::value) !=
           config_.level_dimensions.end();
  }
  bool is_wanted(DimensionId id) const { return config_.level_dimensions.empty() || is_named(id); }
  bool is_horizontal(DimensionId id) const {
    const char axis = axis_of(dimension(id));
    return axis == 'X' || axis == 'Y';
  }

  /// The dimensions of the configuration's grids on which the values lie.
  std::vector<std::vector<DimensionId>> grids_of(const Entry& entry, const Variable& variable) const {
    std::vector<std::vector<DimensionId>> found;
    for (const std::size_t number : draft_.grids.of_nodes[entry.node]) {
      const std::vector<Text>& names = draft_.grids.all[number].config->dimensions;
      std::vector<DimensionId> grid;
      for (const DimensionId id : variable.dimensions)
        if (std::ranges::find(names, dimension(id).name, &Text::value) != names.end()) grid.push_back(id);
      if (!names.empty() && grid.size() == names.size()) found.push_back(std::move(grid));
    }
    return found;
  }

  void refuse_points(const Entry& entry, DimensionId id) const {
    if (entry.is_of_grid || !is_wanted(id)) return;
    report(
        findings_, entry.name.where,
        named(entry) + "of the points along " + quoted(dimension(id).name) +
            " nothing says which four are one of a coarser level; levels need dimensions along x and y, or "
            "HEALPix in nested order (cells=\"hp64_nest\")");
  }

  static constexpr Index kChildren = 4, kBaseCells = 12;

  const Draft& draft_;
  const FileConfig& config_;
  const std::vector<const Entry*>& entries_;
  const std::vector<Variable*>& variables_;
  PlannedFile& file_;
  Findings& findings_;
};

/// Adds "y: x: mean" to what the variable says of its cells.
void describe_means(const PlannedFile& file, const std::vector<PlannedDimension>& dimensions,
                    Variable& variable) {
  std::string text;
  for (const DimensionId id : variable.dimensions) {
    if (!file.coarsened.contains(id)) continue;
    const auto other = file.dimension_names.find(id);
    text = (other == file.dimension_names.end() ? dimensions[id.index].name : other->second) + ": " + text;
  }
  text += "mean";
  const auto known = std::ranges::find(variable.attributes, "cell_methods", &Attribute::name);
  if (known == variable.attributes.end())
    variable.attributes.push_back({"cell_methods", text});
  else
    known->value = std::get<std::string>(known->value) + " " + text;
}

Variable level_of(const Plan& plan, const std::vector<PlannedDimension>& dimensions, VariableId id,
                  int number) {
  const PlannedFile& file = plan[plan[id].file];
  Variable made = plan[id];
  made.name = std::to_string(number) + "/" + made.name;
  made.coarser.clear();
  made.level = CoarseLevel{id, number, {}};
  auto bytes = static_cast<Index>(size_bytes(made.type));
  for (const DimensionId dimension : made.dimensions) {
    Index length = 1;
    if (const auto found = file.coarsened.find(dimension); found != file.coarsened.end())
      for (int level = 0; level < number; ++level) length *= found->second;
    made.level->lengths.push_back(length);
    bytes *= divided_up(dimensions[dimension.index].size, length);
  }
  Compression& compression = made.storage.compression;
  if (!compression.is_packed() || bytes < kSmallestPacked) {
    compression = {};
    compression.codec = &codecs::plain();
    compression.shuffle = Shuffle::none;
  }
  made.storage.is_audited = false;
  describe_means(file, dimensions, made);
  return made;
}

bool has_levels(const Plan& plan, const Variable& variable) {
  const PlannedFile& file = plan[variable.file];
  return is_real(variable) && std::ranges::any_of(variable.dimensions, [&](DimensionId id) {
           return file.coarsened.contains(id);
         });
}

}  // namespace

void choose_levels(const Draft& draft, const FileConfig& config, const std::vector<const Entry*>& entries,
                   const std::vector<Variable*>& variables, PlannedFile& file, Findings& findings) {
  if (config.levels > 1) Levels(draft, config, entries, variables, file, findings).choose();
}

void add_levels(const Draft& draft, Plan& plan) {
  for (PlannedFile& file : plan.files) {
    const std::vector<VariableId> finest = file.variables;
    for (int number = 1; number < file.levels; ++number) {
      for (const VariableId id : finest) {
        if (!has_levels(plan, plan[id])) continue;
        const VariableId made(plan.variable_count());
        plan.levels.push_back(level_of(plan, draft.shapes.dimensions, id, number));
        plan.variables[id.index].coarser.push_back(made);
        file.variables.push_back(made);
      }
    }
  }
}

}  // namespace pileus::planning
