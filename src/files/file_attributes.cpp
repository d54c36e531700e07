#include "files/file_attributes.h"

#include <memory>
#include <utility>

namespace pileus {

std::vector<FileAttribute> converted(const std::vector<Attribute>& attributes) {
  std::vector<FileAttribute> out;
  for (const Attribute& attribute : attributes) out.push_back({attribute.name, attribute.value});
  return out;
}

FileStatic static_of_places(const PlannedPlaces& planned, const Plan& plan) {
  FileStatic made{planned.name, ElementType::float64, {}, converted(planned.attributes)};
  made.definition = planned.places->identity;
  FilePieces pieces{1, planned.corners.empty() ? 1 : planned.places->corners, {}};
  for (const DimensionId id : planned.dimensions) pieces.cells *= plan[id].size;
  pieces.read = [all = planned.places, part = planned.part](Index first, Index count) {
    return all->read(part, first, count);
  };
  made.pieces = std::make_shared<const FilePieces>(std::move(pieces));
  return made;
}

}  // namespace pileus
