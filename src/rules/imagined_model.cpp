#include <map>

#include "rules/model_shapes.h"

namespace pileus::planning {

ElementType type_of(const Text& data_type, ElementType otherwise) {
  for (ElementType type : {ElementType::float64, ElementType::float32, ElementType::int32, ElementType::int64,
                           ElementType::boolean, ElementType::character}) {
    if (data_type.value == name(type)) return type;
  }
  return otherwise;
}

Shapes imagine_shapes(const Graph& graph) {
  Shapes shapes;
  shapes.is_imagined = true;
  shapes.fields.resize(graph.field_count);
  std::vector<Region> regions(graph.field_count);
  std::map<std::string, std::size_t> known;
  for (NodeIndex index = 0; index < graph.field_count; ++index) {
    const FieldConfig& field = *graph.nodes[index].field;
    FieldShape& shape = shapes.fields[index];
    shape.file_type = shape.wire_type = type_of(field.data_type, ElementType::float64);
    if (field.type.value == "map") shape.file_type = shape.wire_type = ElementType::character;
    for (const Text& name : field.size) {
      const auto [dimension, is_new] = known.try_emplace(name.value, shapes.dimensions.size());
      if (is_new) shapes.dimensions.push_back({name.value, kImaginedSize, {}, ""});
      shape.dimensions.push_back(DimensionId(dimension->second));
    }
    shape.is_unknown = !field.has_size && (field.is_collective || field.type.value == "array");
    const std::size_t rank = shape.dimensions.size();
    regions[index] = {std::vector<Index>(rank, 0), std::vector<Index>(rank, kImaginedSize)};
  }
  shapes.regions = RankRegions({std::move(regions)});
  return shapes;
}

}  // namespace pileus::planning
