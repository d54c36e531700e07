#include <numeric>

#include "layout/draft.h"

namespace pileus::planning {
namespace {

/// Groups of rooted terms: terms that meet in one rule have to be on one server.
class Components {
 public:
  explicit Components(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), TermIndex{0});
  }

  TermIndex of(TermIndex term) {
    while (parents_[term] != term) term = parents_[term] = parents_[parents_[term]];
    return term;
  }
  void join(TermIndex a, TermIndex b) { parents_[of(a)] = of(b); }

 private:
  std::vector<TermIndex> parents_;
};

}  // namespace

std::vector<ServerRank> choose_roots(const Draft& draft, const KeptTerms& kept, Findings& findings) {
  const auto is_rooted = [&](TermIndex term) {
    return kept.is_kept[term] && draft.terms[term].spread == Spread::rooted;
  };
  Components components(draft.terms.size());
  for (TermIndex term = 0; term < draft.terms.size(); ++term) {
    if (!is_rooted(term)) continue;
    for (TermIndex input : kept.inputs[term]) {
      if (is_rooted(input)) components.join(input, term);
    }
  }

  std::vector<std::optional<ServerRank>> chosen(draft.terms.size());
  const ServerRank servers = draft.plan.layout.servers;
  for (NodeIndex node = draft.graph.field_count; node < draft.graph.nodes.size(); ++node) {
    const Node& rule = draft.graph.nodes[node];
    if (!rule.root || !draft.values[node]) continue;
    const Term& value = draft.terms[*draft.values[node]];
    const bool goes_to_all = value.kind == TermKind::broadcast;
    const TermIndex reduced = goes_to_all ? value.operands.front() : *draft.values[node];
    if (!is_rooted(reduced)) continue;
    if (*rule.root >= servers) {
      findings.warning(rule.rule->parameters.at("root").where,
                       "there is no server " + std::to_string(*rule.root) + ", only 0 to " +
                           std::to_string(servers - 1) + "; server " + std::to_string(*rule.root % servers) +
                           " takes its place");
    }
    auto& root = chosen[components.of(reduced)];
    if (!root) root = static_cast<ServerRank>(*rule.root % servers);
  }
  for (std::size_t i = 0; i < draft.plan.variables.size(); ++i) {
    auto& root = chosen[components.of(draft.variable_terms[i])];
    if (!root) root = draft.plan[draft.plan.variables[i].file].owner;
  }
  for (std::size_t i = 0; i < draft.plan.statics.size(); ++i) {
    auto& root = chosen[components.of(draft.static_terms[i])];
    if (!root) root = draft.plan[draft.plan.statics[i].file].owner;
  }

  // A term that no file holds is only passed on; the servers take these in turn.
  std::vector<ServerRank> roots(draft.terms.size());
  ServerRank next = 0;
  for (TermIndex term = 0; term < draft.terms.size(); ++term) {
    auto& root = chosen[components.of(term)];
    if (!root && is_rooted(term)) root = next++ % servers;
    roots[term] = root.value_or(0);
  }
  return roots;
}

}  // namespace pileus::planning
