#include "by_place/selection.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pileus::operators {

void Selection::pick(std::size_t axis, std::vector<Index> indices, const std::string& name) {
  Dimension& dimension = result_.dimensions[axis];
  if (static_cast<Index>(indices.size()) == dimension.size) return;  // all of them
  Dimension made{name,
                 dimension.size == kUnknownSize ? kUnknownSize : static_cast<Index>(indices.size()),
                 {},
                 dimension.units};
  for (const Index index : indices)
    if (!dimension.coordinates.empty())
      made.coordinates.push_back(dimension.coordinates[static_cast<std::size_t>(index)]);
  dimension = std::move(made);
  picked_[axis] = {true, std::move(indices)};
}

Region Selection::region(const Region& field) const {
  Region made = field;
  for (std::size_t d = 0; d < picked_.size(); ++d) {
    if (!picked_[d].is_picked) continue;
    const std::vector<Index>& indices = picked_[d].indices;
    const auto first = std::ranges::lower_bound(indices, field.start[d]);
    const auto end = std::ranges::lower_bound(indices, field.start[d] + field.count[d]);
    made.count[d] = end - first;
    made.start[d] = made.count[d] == 0 ? 0 : first - indices.begin();
  }
  return made;
}

bool Selection::is_even() const {
  return std::ranges::all_of(picked_, [](const Along& along) {
    for (std::size_t i = 2; i < along.indices.size(); ++i)
      if (along.indices[i] - along.indices[i - 1] != along.indices[1] - along.indices[0]) return false;
    return true;
  });
}

void Selection::copy(const Part& field, const ResultPart& result) const {
  const std::size_t size = size_bytes(field.type), rank = picked_.size();
  std::vector<std::vector<Index>> offsets(rank);  // in elements, by dimension
  Index stride = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    for (Index i = result.region.start[d]; i < result.region.start[d] + result.region.count[d]; ++i) {
      const Index index = picked_[d].is_picked ? picked_[d].indices[static_cast<std::size_t>(i)] : i;
      offsets[d].push_back((index - field.region.start[d]) * stride);
    }
    stride *= field.region.count[d];
  }
  const auto* const from = static_cast<const std::byte*>(field.first);
  auto* to = static_cast<std::byte*>(result.first);
  std::vector<std::size_t> at(rank, 0);
  for (Index i = 0; i < result.region.size(); ++i, to += size) {
    Index offset = 0;
    for (std::size_t d = 0; d < rank; ++d) offset += offsets[d][at[d]];
    std::memcpy(to, from + static_cast<std::size_t>(offset) * size, size);
    for (std::size_t d = 0; d < rank && ++at[d] == offsets[d].size(); ++d) at[d] = 0;
  }
}

Prepared Selection::prepared() const {
  Prepared prepared;
  prepared.result = result_;
  prepared.region = [self = *this](const std::vector<Region>& inputs) { return self.region(inputs[0]); };
  prepared.compute = [self = *this](const std::vector<Part>& inputs, const ResultPart& result) {
    self.copy(inputs[0], result);
  };
  if (!is_even()) return prepared;
  prepared.picks = [self = *this](const Region& field) {
    const Region made = self.region(field);
    Picked picked{std::vector<Index>(made.count.size(), 0), made.count,
                  std::vector<Index>(made.count.size(), 1)};
    for (std::size_t d = 0; d < made.count.size(); ++d) {
      const std::vector<Index>& indices = self.picked_[d].indices;
      if (!self.picked_[d].is_picked) continue;
      picked.first[d] = indices[static_cast<std::size_t>(made.start[d])] - field.start[d];
      if (indices.size() > 1) picked.step[d] = indices[1] - indices[0];
    }
    return picked;
  };
  return prepared;
}

Index nearest_index(const std::vector<double>& coordinates, double wanted) {
  const auto is_nearer = [&](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); };
  return std::ranges::min_element(coordinates, is_nearer) - coordinates.begin();
}

}  // namespace pileus::operators
