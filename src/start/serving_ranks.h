#pragma once
// Which ranks of a program serve, once it is known how many shall. Pure arithmetic: the same on every rank.

#include <span>
#include <vector>

#include "core/server_count.h"
#include "transport/endpoint.h"

namespace pileus {

/// The serving ranks, rising; at least one rank of the program stays with the model.
/// - ratio, total: every server directly follows the model ranks that it serves, so that it is on their node
///   where ranks are numbered node by node. By ratio there are as few servers as serve all.
/// - per_node: the last ranks of every node.
/// A program of one rank has none: it serves itself.
/// `lowest_on_node`: for each rank the lowest rank on its node. `asked`: one of its numbers is set.
/// Errors: UsageError if no model rank would be left, or none of a node, or a number is negative.
std::vector<Peer> serving_ranks(const ServerCount& asked, std::span<const Peer> lowest_on_node);

}  // namespace pileus
