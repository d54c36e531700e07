#pragma once
// Chooses which ranks of a program serve, given how many shall. Pure arithmetic, with the same result on
// every rank.

#include <span>
#include <vector>

#include "core/server_count.h"
#include "start/rank_place.h"

namespace pileus {

/// Returns the serving ranks, rising; at least one rank of the program stays with the model.
/// - ratio, total: every server directly follows the model ranks that it serves, so that it is on their node
/// where ranks are numbered node by node. With ratio there are as few servers as serve all.
/// - per_node: the last ranks of every node serve.
/// - per_socket, per_numa: the last ranks of every socket, or NUMA domain, of every node serve. The ranks of
/// a node whose domain is not known are a domain of their own. It has no servers if it is too small for them
/// and the node has others.
/// A program of one rank gets none: it serves itself.
/// `asked`: one of its numbers is set.
/// Errors: UsageError if no model rank would be left, or none of a node or known domain that is to have
/// servers, or a number is negative.
std::vector<Peer> serving_ranks(const ServerCount& asked, std::span<const RankPlace> places);

}  // namespace pileus
