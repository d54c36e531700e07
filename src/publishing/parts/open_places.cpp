#include "publishing/parts/open_places.h"

#include <algorithm>
#include <utility>

namespace pileus {

void OpenPlaces::add(const Placement& placement) {
  Growth growth{placement.growth, 0};
  for (const auto& [variable, records] : growth.growth.variables) {
    growth.unwritten +=
        std::ssize(own_.chunks_here(key_.file, variable)) * static_cast<Index>(records.size());
  }
  if (growth.unwritten == 0) return;
  growths_.insert_or_assign({placement.axis, placement.growth.first_record}, std::move(growth));
}

/// The growth that has the record.
std::map<OpenPlaces::Key, OpenPlaces::Growth>::const_iterator OpenPlaces::find(const Piece& piece) const {
  const auto axis = static_cast<std::uint32_t>(own_.axis_of(key_.file, piece.variable));
  const auto after = growths_.upper_bound({axis, piece.record});
  if (after == growths_.begin()) return growths_.end();
  const auto found = std::prev(after);
  const auto& [key, growth] = *found;
  const bool is_there = key.first == axis && piece.record - key.second < growth.growth.records;
  return is_there ? found : growths_.end();
}

/// Null if the growth has none of the variable.
const RecordPlacements* OpenPlaces::placements(const Growth& growth, std::uint32_t variable) const {
  const auto& variables = growth.growth.variables;
  const auto found =
      std::ranges::lower_bound(variables, variable, {}, [](const auto& one) { return one.first; });
  return found != variables.end() && found->first == variable ? &found->second : nullptr;
}

std::optional<RecordPlacement> OpenPlaces::of(const Piece& piece) const {
  const auto found = find(piece);
  if (found == growths_.end()) return std::nullopt;
  const RecordPlacements* const records = placements(found->second, piece.variable);
  const auto place = static_cast<std::size_t>(piece.record - found->first.second);
  if (records == nullptr || place >= records->size()) return std::nullopt;
  return (*records)[place];
}

bool OpenPlaces::has(const Piece& piece) const {
  const auto found = find(piece);
  return found != growths_.end() && has(*found, piece);
}

bool OpenPlaces::has(const std::pair<const Key, Growth>& growth, const Piece& piece) const {
  const RecordPlacements* const records = placements(growth.second, piece.variable);
  return records != nullptr && piece.record - growth.first.second < static_cast<Index>(records->size());
}

/// Compressed variables of the axis have no place in its growths.
void OpenPlaces::set_written(const Piece& piece) {
  const auto found = find(piece);
  if (found == growths_.end() || !has(*found, piece)) return;
  Growth& growth = growths_.at(found->first);
  if (--growth.unwritten == 0) growths_.erase(found);
}

}  // namespace pileus
