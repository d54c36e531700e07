#include "rules/model_shapes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/missing.h"
#include "core/suggest.h"
#include "plan/tiling.h"
#include "rules/model_points.h"

namespace pileus::planning {
namespace {

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return names.empty() ? "none" : quoted(text);
}

class ShapeReader {
 public:
  ShapeReader(Graph& graph, const std::vector<Spread>& spreads, const ModelRanks& model, Findings& findings)
      : graph_(graph), spreads_(spreads), model_(model), findings_(findings) {}

  Shapes read() {
    read_dimensions();
    shapes_.points = read_points(model_, dimensions_, shapes_.dimensions, findings_);
    shapes_.fields.resize(graph_.field_count);
    shapes_.regions = RankRegions(model_.size());
    const auto nowhere = std::make_shared<const RankColumn>(std::vector<Region>(model_.size()));
    for (NodeIndex field = 0; field < graph_.field_count; ++field) shapes_.regions.add(nowhere);
    index_fields();
    for (NodeIndex field = 0; field < graph_.field_count; ++field) {
      Node& node = graph_.nodes[field];
      if (node.is_live && !node.is_off && !read_field(field)) node.is_off = true;
    }
    planning::warn_of_holes(shapes_.points, shapes_.dimensions, findings_);
    return std::move(shapes_);
  }

 private:
  /// What is right on one rank is right on all of its kind; what is wrong is named for each.
  void read_dimensions() {
    std::vector<bool> is_right(model_.kind_count(), false);
    for (std::size_t rank = 0; rank < model_.size(); ++rank) {
      const std::uint32_t kind = model_.kind_of(rank);
      if (is_right[kind]) continue;
      const std::size_t errors = findings_.all().size();
      for (const ModelDimension& dimension : model_.kind(kind).dimensions) read_dimension(dimension, rank);
      is_right[kind] = findings_.all().size() == errors;
    }
  }

  void read_dimension(const ModelDimension& dimension, std::size_t rank) {
    const std::string what = "dimension " + quoted(dimension.name) + on_rank(rank);
    const auto count = static_cast<Index>(dimension.coordinates.size());
    if (dimension.size < 0) findings_.error({}, what + " has the size " + std::to_string(dimension.size));
    if (count != 0 && count != dimension.size) {
      findings_.error({}, what + " has " + std::to_string(count) + " coordinates for " +
                              std::to_string(dimension.size) + " elements");
    }
    const auto [known, is_new] = dimensions_.try_emplace(dimension.name, shapes_.dimensions.size());
    if (is_new) {
      shapes_.dimensions.push_back(
          {dimension.name, dimension.size, dimension.coordinates, dimension.units, dimension.bounds});
      first_ranks_.push_back(rank);
      return;
    }
    PlannedDimension& before = shapes_.dimensions[known->second];
    const std::string other = on_rank(first_ranks_[known->second]);
    if (before.size != dimension.size) {
      findings_.error({}, what + " has the size " + std::to_string(dimension.size) + ", but " +
                              std::to_string(before.size) + other);
    } else if (before.coordinates.empty()) {
      before.coordinates = dimension.coordinates;
      before.units = dimension.units;
      before.bounds = dimension.bounds;
    } else if (count != 0 && (before.coordinates != dimension.coordinates ||
                              before.units != dimension.units || before.bounds != dimension.bounds)) {
      findings_.error({}, what + " has other coordinates than" + other);
    }
  }

  void index_fields() {
    fields_.resize(model_.kind_count());
    for (std::size_t kind = 0; kind < model_.kind_count(); ++kind) {
      const std::vector<ModelField>& fields = model_.kind(kind).fields;
      for (std::size_t f = 0; f < fields.size(); ++f) fields_[kind].try_emplace(fields[f].name, f);
    }
  }

  bool wrong(const Location& where, const std::string& what) {
    report(findings_, where, what);
    return false;
  }

  /// A field, by its place among those that each kind of rank registers.
  using Places = std::vector<std::size_t>;
  const ModelField& field_of(const Places& places, std::size_t kind) const {
    return model_.kind(kind).fields[places[kind]];
  }
  Region region_of(const Places& places, std::size_t rank) const {
    return model_.region(rank, places[model_.kind_of(rank)]);
  }

  /// "": it lies on none.
  std::string points_of_field(const Places& places, std::size_t kind) const {
    const std::optional<std::uint32_t>& points = field_of(places, kind).points;
    return points ? model_.kind(kind).points[*points].name : "";
  }

  /// The same on every rank in all but the region; empty after an error.
  Places registrations(const Node& node) {
    Places found;
    for (std::size_t kind = 0; kind < model_.kind_count(); ++kind) {
      const std::size_t rank = model_.first_rank(kind);
      const auto field = fields_[kind].find(node.registered);
      const std::string what = "field " + quoted(node.name);
      if (field == fields_[kind].end()) {
        wrong(node.where, what + " is not registered" + on_rank(rank) +
                              ", as it is on others; register it on every "
                              "rank, empty where there is nothing of it");
        return {};
      }
      found.push_back(field->second);
      const ModelField &first = field_of(found, 0), &last = field_of(found, kind);
      if (first.dimensions == last.dimensions && first.type == last.type &&
          first.region.rank() == last.region.rank() &&
          points_of_field(found, 0) == points_of_field(found, kind))
        continue;
      const bool is_type = first.type != last.type;
      const auto shape = [&](std::size_t of) {
        const std::string points = points_of_field(found, of);
        return list(field_of(found, of).dimensions) + (points.empty() ? "" : " of points " + quoted(points));
      };
      wrong(node.where, what + " has " +
                            (is_type ? "the type " + quoted(std::string(name(last.type)))
                                     : "the dimensions " + shape(kind)) +
                            on_rank(rank) + ", but " +
                            (is_type ? quoted(std::string(name(first.type))) : shape(0)) + on_rank(0));
      return {};
    }
    return found;
  }

  bool read_field(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    const Places places = registrations(node);
    if (places.empty()) return false;
    const ModelField& first = field_of(places, 0);
    FieldShape& shape = shapes_.fields[index];
    shape.has_nameless_shape = first.dimensions.empty() && first.region.rank() > 0;
    if (!read_type(node, first.type, shape) || !read_names(node, first, shape)) return false;
    if (first.points) return read_on_points(index, places, shape);
    const bool is_part_of_its_own = is_partial_of_rank(index, shape, places);
    if (is_part_of_its_own) {
      shape.has_nameless_shape = true;
      shape.own_dimensions = std::exchange(shape.dimensions, {});
    }
    const RankRegions::Column column = column_of(places, is_part_of_its_own);
    shapes_.regions.set_column(index, column);
    for (std::size_t rank = 0; rank < column->size(); ++rank) {
      if (!check_region(index, shape, (*column)[rank], rank)) return false;
    }
    return spreads_[index] != Spread::distributed || check_tiling(index, column, shape);
  }

  /// Behind the hand-over such a field lies as if each rank held a range.
  bool read_on_points(NodeIndex index, const Places& places, FieldShape& shape) {
    const Node& node = graph_.nodes[index];
    if (spreads_[index] != Spread::distributed)
      return wrong(node.where, "field " + quoted(node.name) + kPartsOfPoints);
    const auto found = std::ranges::find(shapes_.points, points_of_field(places, 0), &PlannedPoints::name);
    shape.points = static_cast<std::uint32_t>(found - shapes_.points.begin());
    const auto region = [&](std::size_t rank) { return region_of(places, rank); };
    const std::string text = take_counts(*found, {node.name, shape.dimensions, region}, shapes_.dimensions);
    if (!text.empty()) return wrong(node.where, text);
    if (found->has_holes && !(shape.hole = value_of_holes(shape.wire_type)))
      return wrong(node.where, "field " + quoted(node.name) + kNoTruth);
    shapes_.has_holes = shapes_.has_holes || found->has_holes;
    shapes_.regions.set_column(index, dealt_column(*found, shape.dimensions, shapes_.dimensions));
    return true;
  }

  /// Fields that lie alike on every kind of rank have one column together.
  RankRegions::Column column_of(const Places& places, bool starts_at_zero) {
    std::vector<std::uint32_t> boxes = {starts_at_zero};
    for (std::size_t kind = 0; kind < places.size(); ++kind)
      boxes.push_back(model_.box_of(kind, places[kind]));
    RankRegions::Column& column = columns_[boxes];
    if (column) return column;
    std::vector<Region> regions;
    for (std::size_t rank = 0; rank < model_.size(); ++rank) {
      Region& region = regions.emplace_back(region_of(places, rank));
      if (starts_at_zero) region.start.assign(region.count.size(), 0);
    }
    return column = std::make_shared<const RankColumn>(regions);
  }

  /// What is reduced anyway may have another shape on every rank, also where the model gives names to its
  /// dimensions; only a declared size holds the ranks to it.
  bool is_partial_of_rank(NodeIndex index, const FieldShape& shape, const Places& places) const {
    if (spreads_[index] != Spread::own || graph_.nodes[index].field->has_size) return false;
    for (std::size_t rank = 0; rank < model_.size(); ++rank) {
      const Region region = region_of(places, rank);
      if (region.count.size() != shape.dimensions.size()) continue;
      for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
        if (region.count[d] != shapes_.dimensions[shape.dimensions[d].index].size) return true;
      }
    }
    return false;
  }

  bool read_type(const Node& node, ElementType registered, FieldShape& shape) {
    const Text& declared_text = node.field->data_type;
    const ElementType declared = type_of(declared_text, registered);
    const bool is_truth = registered == ElementType::boolean;
    const bool is_other_integer = is_integer(declared) && !is_integer(registered) && !is_truth;
    const bool is_other_bytes = size_bytes(declared) == 1 && declared != registered;
    if (is_other_integer || is_other_bytes || is_number(declared) != is_number(registered)) {
      return wrong(declared_text.where, "field " + quoted(node.name) + " is " +
                                            quoted(std::string(name(registered))) + " in the model" +
                                            on_rank(0) + ", which " + quoted(declared_text.value) +
                                            " cannot hold");
    }
    const bool is_single = registered == ElementType::float32 || declared == ElementType::float32;
    shape.file_type = is_integer(declared) && !is_truth ? registered : declared;
    shape.wire_type = is_truth ? registered : is_single ? ElementType::float32 : shape.file_type;
    return check_missing_value(node, shape.wire_type);
  }

  /// A number that no element of this type is equal to was not meant.
  bool check_missing_value(const Node& node, ElementType type) {
    const std::optional<double>& missing = node.field->missing_value;
    return !missing || can_be(*missing, type) ||
           wrong(node.field->missing_value_where,
                 "field " + quoted(node.name) + " is " + quoted(std::string(name(type))) + " of " +
                     std::to_string(8 * size_bytes(type)) + " bits in the model and never has this value");
  }

  bool read_names(const Node& node, const ModelField& first, FieldShape& shape) {
    const FieldConfig& field = *node.field;
    const std::string what = "field " + quoted(node.name);
    if (!check_type(node, first)) return false;
    if (field.has_size && !check_size(node, first)) return false;
    if (field.is_collective && first.dimensions.empty()) {
      return wrong(node.where,
                   what + " is collective, but the model gives no names to its dimensions" + on_rank(0));
    }
    for (const std::string& dimension : first.dimensions) {
      const auto known = dimensions_.find(dimension);
      if (known == dimensions_.end()) {
        return wrong(node.where, what + " has the dimension " + quoted(dimension) + on_rank(0) +
                                     ", which the model does not register" +
                                     did_you_mean(dimension, known_names()));
      }
      const DimensionId id(known->second);
      if (std::find(shape.dimensions.begin(), shape.dimensions.end(), id) != shape.dimensions.end()) {
        return wrong(node.where, what + " has the dimension " + quoted(dimension) + " twice" + on_rank(0));
      }
      shape.dimensions.push_back(id);
    }
    return true;
  }

  bool check_type(const Node& node, const ModelField& first) {
    const Text& type = node.field->type;
    const int rank = first.region.rank() - static_cast<int>(inner_dimensions(first));
    const std::string what = "field " + quoted(node.name);
    if (!type.is_given()) return true;
    if (type.value == "scalar" && rank > 0) {
      return wrong(type.where,
                   what + " is a scalar here, but has " + std::to_string(rank) + " dimensions" + on_rank(0));
    }
    if (type.value == "array" && rank == 0) {
      return wrong(type.where, what + " is an array here, but a scalar" + on_rank(0));
    }
    if ((type.value == "map") != is_map(first)) {
      return wrong(type.where, what + (is_map(first) ? " is a map" : " is no map") + on_rank(0) +
                                   ", but type=" + quoted(type.value) + " here");
    }
    return true;
  }

  bool check_size(const Node& node, const ModelField& first) {
    const auto inner = static_cast<std::ptrdiff_t>(inner_dimensions(first));
    const std::vector<std::string> dimensions(first.dimensions.begin() + inner, first.dimensions.end());
    std::vector<std::string> declared;
    for (const Text& dimension : node.field->size) {
      declared.push_back(dimension.value);
      if (dimensions_.contains(dimension.value)) continue;
      return wrong(dimension.where,
                   "field " + quoted(node.name) + ": the model does not register the dimension " +
                       quoted(dimension.value) + did_you_mean(dimension.value, known_names()));
    }
    if (declared == dimensions) return true;
    const Location where = node.field->size.empty() ? node.where : node.field->size.front().where;
    return wrong(where, "field " + quoted(node.name) + " has the size " + list(declared) +
                            " here, but the dimensions " + list(dimensions) + " (fastest first)" +
                            on_rank(0));
  }

  bool check_region(NodeIndex index, const FieldShape& shape, const Region& region, std::size_t rank) {
    const Node& node = graph_.nodes[index];
    const std::string what = "field " + quoted(node.name) + on_rank(rank);
    const std::size_t rank_count = shape.has_nameless_shape ? region.count.size() : shape.dimensions.size();
    if (region.count.size() != rank_count || region.start.size() != rank_count) {
      return wrong(node.where, what + " has a region of " + std::to_string(region.count.size()) +
                                   " dimensions instead of " + std::to_string(rank_count));
    }
    for (std::size_t d = 0; d < rank_count; ++d) {
      const Index start = region.start[d], count = region.count[d];
      if (shape.has_nameless_shape) {
        if (start != 0 || count < 0) return wrong(node.where, what + " has a shape that cannot be");
        continue;
      }
      const PlannedDimension& dimension = shapes_.dimensions[shape.dimensions[d].index];
      if (!region.along(d).is_within(dimension.size)) {
        return wrong(node.where, what + " begins at " + std::to_string(start) + " in dimension " +
                                     quoted(dimension.name) + " and has " + std::to_string(count) +
                                     " elements of it, but there are only " + std::to_string(dimension.size));
      }
      if (!node.field->is_collective && count != dimension.size) {
        return wrong(node.where, what + " holds " + std::to_string(count) + " of the " +
                                     std::to_string(dimension.size) + " elements of dimension " +
                                     quoted(dimension.name) +
                                     "; declare it collective=\"true\" if each rank holds a part");
      }
    }
    return true;
  }

  bool check_tiling(NodeIndex index, const RankRegions::Column& column, const FieldShape& shape) {
    const Node& node = graph_.nodes[index];
    std::vector<Index> extents;
    for (DimensionId id : shape.dimensions) extents.push_back(shapes_.dimensions[id.index].size);
    if (is_as_before(column, extents)) return true;

    std::vector<Region> held;
    for (std::size_t rank = 0; rank < column->size(); ++rank) held.push_back((*column)[rank]);
    std::vector<const Region*> regions;
    for (const Region& region : held) regions.push_back(&region);
    if (const auto pair = first_overlap(regions)) {
      return wrong(node.where, "field " + quoted(node.name) + ": model ranks " + std::to_string(pair->first) +
                                   " and " + std::to_string(pair->second) + " both hold a part of it, " +
                                   text(*regions[pair->first]) + " and " + text(*regions[pair->second]) +
                                   ": each point is one rank's, without its halo and without the border that "
                                   "two ranks share");
    }
    if (const std::vector<Region> holes = gaps(regions, extents); !holes.empty()) warn_of_holes(node, holes);
    tiled_ = column;
    tiled_extents_ = std::move(extents);
    return true;
  }

  /// Named once for all fields that lie alike.
  void warn_of_holes(const Node& node, const std::vector<Region>& holes) {
    shapes_.has_holes = true;
    std::string others;
    if (holes.size() > 1) others = " and " + std::to_string(holes.size() - 1) + " more boxes";
    findings_.warning(node.where, "field " + quoted(node.name) + ": no model rank holds " +
                                      text(holes.front()) + others +
                                      " of it; files have _FillValue there, also of fields that lie "
                                      "like it");
  }

  /// Most fields of a model lie alike: what was found good for the last one need not be looked at again.
  bool is_as_before(const RankRegions::Column& column, const std::vector<Index>& extents) const {
    return extents == tiled_extents_ && tiled_ && (column == tiled_ || *column == *tiled_);
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const auto& [name, index] : dimensions_) names.push_back(name);
    return names;
  }

  Graph& graph_;
  const std::vector<Spread>& spreads_;
  const ModelRanks& model_;
  Findings& findings_;
  Shapes shapes_;
  std::map<std::string, std::size_t> dimensions_;
  std::vector<std::size_t> first_ranks_;  ///< by dimension: the first rank that registered it
  std::vector<std::map<std::string, std::size_t>> fields_;  ///< by kind of rank: the place of each
  std::map<std::vector<std::uint32_t>, RankRegions::Column> columns_;
  RankRegions::Column tiled_;
  std::vector<Index> tiled_extents_;
};

}  // namespace

Shapes read_shapes(Graph& graph, const std::vector<Spread>& spreads, const ModelRanks& model,
                   Findings& findings) {
  return ShapeReader(graph, spreads, model, findings).read();
}

}  // namespace pileus::planning
