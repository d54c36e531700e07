#include "messaging/tree_shape.h"

#include <algorithm>

namespace pileus {

TreePlace tree_place(const std::vector<ServerRank>& members, ServerRank root, ServerRank self) {
  const auto root_place = static_cast<std::size_t>(std::ranges::find(members, root) - members.begin());
  const auto self_place = static_cast<std::size_t>(std::ranges::find(members, self) - members.begin());
  TreePlace place;
  if (self_place == members.size()) return place;
  place.is_member = true;

  // A heap over the members, turned so that the root comes first.
  const std::size_t count = members.size();
  const std::size_t position = (self_place + count - root_place) % count;
  auto member_at = [&](std::size_t heap_position) { return members[(heap_position + root_place) % count]; };
  if (position > 0) place.parent = member_at((position - 1) / kTreeArity);
  for (std::size_t child = 1; child <= kTreeArity; ++child) {
    const std::size_t heap_position = position * kTreeArity + child;
    if (heap_position < count) place.children.push_back(member_at(heap_position));
  }
  return place;
}

}  // namespace pileus
