#pragma once
// Chooses which ranks of a program serve, given how many shall. Pure arithmetic, with the same result on
// every rank.

#include <span>
#include <vector>

#include "core/server_count.h"
#include "transport/endpoint.h"

namespace pileus {

/// Returns the serving ranks, rising; at least one rank of the program stays with the model.
/// - ratio, total: every server directly follows the model ranks that it serves, so that it is on their node
/// where ranks are numbered node by node. With ratio there are as few servers as serve all.
/// - per_node: the last ranks of every node serve.
/// A program of one rank gets none: it serves itself.
/// `lowest_on_node`: for each rank the lowest rank on its node. `asked`: one of its numbers is set.
/// Errors: UsageError if no model rank would be left, or none of a node, or a number is negative.
std::vector<Peer> serving_ranks(const ServerCount& asked, std::span<const Peer> lowest_on_node);

}  // namespace pileus
