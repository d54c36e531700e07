#include "files/coarse_levels.h"

#include <algorithm>
#include <limits>

#include "levels/block_means.h"

namespace pileus {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

FileDimension coarser(const FileDimension& fine, int level, Index length) {
  FileDimension made = fine;
  made.name = name_in_level(level, fine.name);
  if (length == 1) return made;
  made.size = blocks_of({fine.size}, {length}).front();
  if (!fine.coordinates.empty())
    made.coordinates = block_values<double>(fine.coordinates, {fine.size}, {length}, kNone);
  if (fine.bounds.empty()) return made;
  made.bounds.clear();
  for (Index block = 0; block < made.size; ++block) {
    const auto first = static_cast<std::size_t>(block * length);
    const auto last = static_cast<std::size_t>(std::min((block + 1) * length, fine.size) - 1);
    made.bounds.push_back(fine.bounds[2 * first]);
    made.bounds.push_back(fine.bounds[2 * last + 1]);
  }
  return made;
}

bool has(const std::vector<FileAttribute>& attributes, const FileAttribute& wanted) {
  return std::ranges::find(attributes, wanted) != attributes.end();
}

BlockValue value_of(const FileStatic& one) {
  if (has(one.attributes, {"standard_name", std::string("cell_area")})) return BlockValue::sum;
  return has(one.attributes, {"standard_name", std::string("longitude")}) ? BlockValue::longitude
                                                                          : BlockValue::mean;
}

/// Corners of cells have no mean: those of a block are some of them.
bool is_of_corners(const FileStatic& one, const FileDefinition& definition) {
  return std::ranges::any_of(definition.statics, [&](const FileStatic& other) {
    return has(other.attributes, {"bounds", one.name});
  });
}

class StaticsOfLevels {
 public:
  StaticsOfLevels(const std::vector<Index>& ratios, const std::set<std::uint32_t>& others,
                  FileDefinition& definition)
      : ratios_(ratios), others_(others), definition_(definition) {}

  void add() {
    const auto count = static_cast<std::uint32_t>(definition_.statics.size());
    for (int level = 1; level < definition_.levels.count; ++level)
      for (std::uint32_t s = 0; s < count; ++s)
        if (!others_.contains(s) && has_blocks(s)) add(s, level);
  }

 private:
  bool is_coarsened(const FileStatic& one) const {
    return std::ranges::any_of(one.dimensions, [&](std::uint32_t d) { return ratios_.at(d) > 1; });
  }
  bool has_blocks(std::uint32_t s) const {
    const FileStatic& one = definition_.statics[s];
    const bool is_real = one.type == ElementType::float32 || one.type == ElementType::float64;
    return !is_coarsened(one) || (is_real && !is_of_corners(one, definition_));
  }

  void add(std::uint32_t s, int level) {
    FileStatic made = definition_.statics[s];
    const bool loses_bounds = is_coarsened(made);
    made.name = name_in_level(level, made.name);
    made.values = nullptr;
    made.coarse = FileStatic::Coarse{s, {}, value_of(made)};
    for (std::uint32_t& d : made.dimensions) {
      made.coarse->lengths.push_back(block_length(ratios_.at(d), level));
      d = place_in_level(d, level, made.coarse->lengths.back(), definition_);
    }
    if (loses_bounds)
      std::erase_if(made.attributes, [](const FileAttribute& one) { return one.name == "bounds"; });
    definition_.statics.push_back(std::move(made));
  }

  const std::vector<Index>& ratios_;
  const std::set<std::uint32_t>& others_;
  FileDefinition& definition_;
};

}  // namespace

Index block_length(Index ratio, int level) {
  Index length = 1;
  for (int i = 0; i < level; ++i) length *= ratio;
  return length;
}

std::string name_in_level(int level, const std::string& name) { return std::to_string(level) + "/" + name; }

std::uint32_t place_in_level(std::uint32_t place, int level, Index length, FileDefinition& definition) {
  const std::string name = name_in_level(level, definition.dimensions[place].name);
  const auto known = std::ranges::find(definition.dimensions, name, &FileDimension::name);
  const auto found = static_cast<std::uint32_t>(known - definition.dimensions.begin());
  if (known == definition.dimensions.end())
    definition.dimensions.push_back(coarser(definition.dimensions[place], level, length));
  return found;
}

void add_statics_of_levels(const std::vector<Index>& ratios, const std::set<std::uint32_t>& others,
                           FileDefinition& definition) {
  StaticsOfLevels(ratios, others, definition).add();
}

}  // namespace pileus
