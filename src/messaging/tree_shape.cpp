#include "messaging/tree_shape.h"

#include <algorithm>
#include <numeric>

namespace pileus {

TreeSeat tree_seat(const std::vector<ServerRank>& members, ServerRank root, ServerRank self) {
  const auto root_place = static_cast<std::size_t>(std::ranges::find(members, root) - members.begin());
  const auto self_place = static_cast<std::size_t>(std::ranges::find(members, self) - members.begin());
  TreeSeat seat;
  if (self_place == members.size()) return seat;
  seat.is_member = true;

  // A heap over the members, turned so that the root comes first.
  const std::size_t count = members.size();
  const std::size_t position = (self_place + count - root_place) % count;
  auto member_at = [&](std::size_t heap_position) { return members[(heap_position + root_place) % count]; };
  if (position > 0) seat.parent = member_at((position - 1) / kTreeArity);
  for (std::size_t child = 1; child <= kTreeArity; ++child) {
    const std::size_t heap_position = position * kTreeArity + child;
    if (heap_position < count) seat.children.push_back(member_at(heap_position));
  }
  return seat;
}

TreeSeat seat_below_first(ServerRank servers, ServerRank self) {
  std::vector<ServerRank> all(servers);
  std::iota(all.begin(), all.end(), ServerRank{0});
  return tree_seat(all, 0, self);
}

bool is_at_or_below(ServerRank server, ServerRank above) {
  while (server > above) server = (server - 1) / static_cast<ServerRank>(kTreeArity);
  return server == above;
}

std::size_t servers_at_or_below(ServerRank servers, ServerRank above) {
  std::size_t count = 0, first = above, last = above;  // of a level of the tree
  for (; first < servers; first = first * kTreeArity + 1, last = last * kTreeArity + kTreeArity)
    count += std::min<std::size_t>(last, servers - 1) - first + 1;
  return count;
}

}  // namespace pileus
