#pragma once
// What the groups of coarser levels have besides their variables: dimensions with their coordinates, and the
// static variables of the file.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "formats/format.h"

namespace pileus {

/// How many elements are together in an element of a level.
Index block_length(Index ratio, int level);

/// "2/T": the name in the group of a level.
std::string name_in_level(int level, const std::string& name);

/// The place of a dimension in the group of a level, which gets it if it has none yet: each element is a
/// block of `length` of the finest, at the mean of their coordinates, with the bounds of both ends.
std::uint32_t place_in_level(std::uint32_t place, int level, Index length, FileDefinition& definition);

/// Adds the statics of the file to all levels, those but `others`. `ratios`: by dimension of the file, 1 for
/// those that stay. What has no mean is left out.
void add_statics_of_levels(const std::vector<Index>& ratios, const std::set<std::uint32_t>& others,
                           FileDefinition& definition);

}  // namespace pileus
