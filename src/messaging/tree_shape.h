#pragma once
// The tree along which a reduction or a broadcast travels.

#include <optional>
#include <vector>

#include "core/ids.h"

namespace pileus {

/// Where one server sits in a tree.
struct TreeSeat {
  std::optional<ServerRank> parent;  ///< none: this is the root
  std::vector<ServerRank> children;
  bool is_member = false;
};

/// The seat of `self` in a tree over `members` (ascending, root among them) in which every server has at most
/// `kTreeArity` children. Deterministic: all members see the same tree.
TreeSeat tree_seat(const std::vector<ServerRank>& members, ServerRank root, ServerRank self);

inline constexpr std::size_t kTreeArity = 4;

/// The seat of `self` in the tree of all servers whose root is server 0.
TreeSeat seat_below_first(ServerRank servers, ServerRank self);
/// Whether `server` is `above` or below it in that tree.
bool is_at_or_below(ServerRank server, ServerRank above);
/// How many of `servers` are `above` or below it in that tree.
std::size_t servers_at_or_below(ServerRank servers, ServerRank above);

}  // namespace pileus
