#include <algorithm>
#include <set>

#include "rules/graph.h"

namespace pileus::planning {
namespace {

/// A use that settles who holds a value.
struct Reason {
  std::string what;
  Location where;
  bool is_given = false;
};

/// Three passes. Forward: what the rules alone decide; values made of non-collective fields stay open.
/// Backward: a use that takes rank 0's value reaches all the fields that it is made of. Forward: the rest are
/// own.
class SpreadInference {
 public:
  SpreadInference(Graph& graph, Findings& findings)
      : graph_(graph),
        findings_(findings),
        known_(graph.nodes.size()),
        spreads_(graph.nodes.size(), Spread::own),
        same_(graph.nodes.size()),
        own_(graph.nodes.size()) {}

  std::vector<Spread> infer() {
    for (NodeIndex field = 0; field < graph_.field_count; ++field) {
      const FieldConfig& config = *graph_.nodes[field].field;
      if (config.is_collective) known_[field] = Spread::distributed;
      if (config.parts.value == "own") known_[field] = Spread::own;
      if (config.parts.value == "same") note(same_[field], "declared parts=\"same\"", config.parts.where);
    }
    for (NodeIndex node : graph_.order) decide_by_rule(node);
    for (const Entry& entry : graph_.entries) note_entry(entry);
    for (auto node = graph_.order.rbegin(); node != graph_.order.rend(); ++node) note_uses(*node);
    for (NodeIndex node = 0; node < graph_.field_count; ++node) settle(node);
    for (NodeIndex node : graph_.order) settle(node);
    for (NodeIndex node : graph_.order) warn_of_own_fields(node);
    return std::move(spreads_);
  }

 private:
  bool is_planned(NodeIndex node) const { return graph_.nodes[node].is_live && !graph_.nodes[node].is_off; }
  bool is(NodeIndex node, Spread spread) const { return known_[node] == spread; }

  void decide_by_rule(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    if (node.is_off) return;  // what nothing needs is judged all the same
    if (node.kind == NodeKind::given) {
      known_[index] = Spread::same;
      return;
    }
    if (node.is_computed() || node.kind == NodeKind::lag) return decide_computed(index);
    const Use& input = node.inputs.front();
    if (node.kind == NodeKind::broadcast) {
      if (!is(input.node, Spread::rooted)) {
        wrong(index, input.where,
              described(graph_, input.node) +
                  " is not on one server: broadcast takes what a reduction has made");
      }
      known_[index] = Spread::same;
      return;
    }
    if (node.kind == NodeKind::sift) return decide_sifted(index);
    if (node.kind == NodeKind::regrid) return decide_regridded(index);
    if (node.is_of_expression) return decide_reduced(index);
    for (const Use& use : node.inputs) check_reduced(index, use);
    if (node.inputs.size() > 1) check_pair(index);
    known_[index] = node.kind != NodeKind::reduction ? Spread::own
                    : node.goes_to_all               ? Spread::same
                                                     : Spread::rooted;
  }

  void check_reduced(NodeIndex index, const Use& input) {
    const Node& node = graph_.nodes[index];
    const std::string what = described(graph_, input.node);
    // The same for every element of a part: that makes pairs, too.
    const bool has_distributed =
        std::ranges::any_of(node.inputs, [&](const Use& use) { return is(use.node, Spread::distributed); });
    if (is(input.node, Spread::same) && !has_distributed) {
      wrong(index, input.where, what + " is already reduced: it is one value, the same everywhere");
    } else if (is(input.node, Spread::rooted)) {
      wrong(index, input.where, what + " is already reduced: it is one value, on one server");
    } else if (node.kind == NodeKind::reduction && is(input.node, Spread::distributed)) {
      wrong(index, input.where, what + " is distributed over the model ranks: localreduce it first");
    }
  }

  /// An expression does not show that its reduction adds up one value of each rank.
  void warn_of_own_fields(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    if (!node.is_of_expression || node.kind != NodeKind::localreduce) return;
    for (const Use& use : node.inputs) {
      const FieldConfig* field = graph_.nodes[use.node].field;
      const bool is_said = field == nullptr || field->is_collective || !field->parts.value.empty();
      if (is_said || spreads_[use.node] != Spread::own || !warned_.insert(use.node).second) continue;
      findings_.warning(
          use.where, described(graph_, use.node) +
                         " is reduced as if each model rank had its own: the result depends on their "
                         "number unless that is so; declare collective=\"true\" if the ranks hold parts of "
                         "one field, otherwise parts=\"own\" or parts=\"same\"");
    }
  }

  void check_pair(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    const auto of_spread = [&](Spread spread) {
      return std::ranges::find_if(node.inputs, [&](const Use& use) { return is(use.node, spread); });
    };
    const auto own = of_spread(Spread::own), distributed = of_spread(Spread::distributed);
    if (own == node.inputs.end() || distributed == node.inputs.end()) return;
    wrong(index, own->where,
          described(graph_, own->node) + " is each model rank's own and " +
              described(graph_, distributed->node) +
              " is distributed: the result would depend on how the model is spread over its ranks");
  }

  bool is_said_to_be_same(NodeIndex index) const {
    const FieldConfig* field = graph_.nodes[index].field;
    return field && field->parts.value == "same";
  }

  /// In an expression: a value that is the same everywhere is reduced where it is; of others every rank's
  /// part counts, and one server has the result.
  void decide_reduced(NodeIndex index) {
    Node& node = graph_.nodes[index];
    if (node.inputs.size() > 1) check_pair(index);
    const auto lies = [&](const Use& use) {
      return is(use.node, Spread::distributed) || is(use.node, Spread::own);
    };
    const bool is_on_ranks = std::ranges::any_of(node.inputs, lies);
    const bool is_same = std::ranges::all_of(node.inputs, [&](const Use& use) {
      return is(use.node, Spread::same) || is_said_to_be_same(use.node);
    });
    for (Use& use : node.inputs) use.is_spread = is_on_ranks && is(use.node, Spread::rooted);
    if (is_same) {
      known_[index] = Spread::same;
    } else {
      known_[index] = node.kind == NodeKind::localreduce ? Spread::own : Spread::rooted;
    }
  }

  /// Every rank picks out of its part of a distributed field; one server has what is made of it.
  void decide_sifted(NodeIndex index) {
    const std::vector<Use>& inputs = graph_.nodes[index].inputs;
    const Use& field = inputs.front();
    const auto is_reduced = [&](const Use& use) {
      return is(use.node, Spread::rooted) || is(use.node, Spread::same);
    };
    if (!is(field.node, Spread::distributed)) {
      wrong(index, field.where,
            described(graph_, field.node) + " is not distributed over the model ranks: it lies nowhere");
    } else if (inputs.size() > 1 && !is_reduced(inputs[1])) {
      wrong(index, inputs[1].where,
            described(graph_, inputs[1].node) + " is not reduced: take what a reduction or allreduction of " +
                described(graph_, field.node) + " has made");
    }
    known_[index] = Spread::rooted;
  }

  /// Wherever its input lies, its result lies on all model ranks. A reduced value goes to all of them first.
  void decide_regridded(NodeIndex index) {
    Use& use = graph_.nodes[index].inputs.front();
    if (is(use.node, Spread::own)) {
      wrong(index, use.where,
            described(graph_, use.node) + " is each model rank's own: it lies on no grid of all of them");
    }
    use.is_spread = is(use.node, Spread::rooted);
    known_[index] = Spread::distributed;
  }

  void decide_computed(NodeIndex index) {
    const Use *distributed = nullptr, *own = nullptr, *rooted = nullptr;
    for (const Use& use : graph_.nodes[index].inputs) {
      if (!distributed && is(use.node, Spread::distributed)) distributed = &use;
      if (!own && is(use.node, Spread::own)) own = &use;
    }
    const bool is_on_ranks = distributed || own;
    for (Use& use : graph_.nodes[index].inputs) {
      if (!is(use.node, Spread::rooted)) continue;
      const bool is_of_expression =
          graph_.nodes[index].is_of_expression || graph_.nodes[use.node].is_of_expression;
      use.is_spread = is_on_ranks && is_of_expression;
      if (!rooted && !use.is_spread) rooted = &use;
    }
    if (rooted && (distributed || own)) {
      const Use& other = distributed ? *distributed : *own;
      wrong(index, rooted->where,
            described(graph_, rooted->node) + " is on one server; " + described(graph_, other.node) +
                (distributed ? " is distributed over all of them" : " is each model rank's own") + ": " +
                (graph_.nodes[index].kind == NodeKind::arithmetic ? "an equation" : "an operator") +
                " cannot mix the two");
    } else if (distributed && own) {
      wrong(index, own->where,
            described(graph_, own->node) + " is each model rank's own and " +
                described(graph_, distributed->node) +
                " is distributed: the result would depend on how the model is spread over its ranks");
    }
    if (distributed) {
      known_[index] = Spread::distributed;
    } else if (rooted) {
      known_[index] = Spread::rooted;
    } else if (own) {
      known_[index] = Spread::own;
    } else if (std::ranges::all_of(graph_.nodes[index].inputs,
                                   [&](const Use& use) { return is(use.node, Spread::same); })) {
      known_[index] = Spread::same;
    }
  }

  /// What each rank makes of its part of a distributed value can be brought together without a word.
  bool is_reduced_of_distributed(NodeIndex index) const {
    const Node& node = graph_.nodes[index];
    return node.kind == NodeKind::localreduce && std::ranges::any_of(node.inputs, [&](const Use& use) {
             return is(use.node, Spread::distributed);
           });
  }

  void note_entry(const Entry& entry) {
    if (!is_planned(entry.node)) return;
    const std::string& file = graph_.config->files[entry.file].name.value;
    if (is_reduced_of_distributed(entry.node)) return;
    if (is(entry.node, Spread::own)) {
      report(findings_, entry.name.where,
             described(graph_, entry.node) + " cannot be written to " + quoted(file) +
                 ": each model rank has its own; bring them together by the communication \"reduction\"");
      return;
    }
    note(same_[entry.node], "written to " + quoted(file), entry.include->where);
  }

  static void note(Reason& reason, std::string what, const Location& where) {
    if (!reason.is_given) reason = {std::move(what), where, true};
  }

  void note_uses(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    if (!is_planned(index)) return;
    const std::string by =
        node.rule->name.value + " of diagnostic " + quoted(graph_.diagnostic_of(node).field.value);
    for (const Use& use : node.inputs) {
      if (known_[use.node]) continue;
      if (node.is_of_expression && is_said_to_be_same(use.node)) continue;
      const bool is_reduced = node.kind == NodeKind::localreduce || node.kind == NodeKind::reduction;
      const bool is_paired = is_reduced && std::ranges::any_of(node.inputs, [&](const Use& other) {
                               return is(other.node, Spread::distributed);
                             });
      if (is_paired) {
        note(same_[use.node], "used with distributed values by " + by, use.where);
      } else if (is_reduced) {
        note(own_[use.node], "reduced by " + by, use.where);
      } else if (!known_[index] && same_[index].is_given) {
        note(same_[use.node], same_[index].what + " by way of " + quoted(node.name), same_[index].where);
      } else if (known_[index] && *known_[index] != Spread::own) {
        const bool is_rooted = is(index, Spread::rooted);
        note(same_[use.node],
             std::string("used with ") + (is_rooted ? "reduced" : "distributed") + " values by " + by,
             use.where);
      }
    }
  }

  void settle(NodeIndex index) {
    Node& node = graph_.nodes[index];
    if (!is_planned(index)) return;
    if (known_[index]) {
      spreads_[index] = *known_[index];
      return;
    }
    spreads_[index] = same_[index].is_given ? Spread::same : Spread::own;
    if (!node.is_field()) {
      const bool is_all_same = std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Use& use) {
        return spreads_[use.node] == Spread::same;
      });
      if (is_all_same) {
        spreads_[index] = Spread::same;
        if (!same_[index].is_given) same_[index] = same_[node.inputs.front().node];
      }
    }
    if (own_[index].is_given && spreads_[index] == Spread::same) {
      node.is_off = true;
      report(findings_, own_[index].where,
             described(graph_, index) + " is " + own_[index].what +
                 ", as if each model rank had its own, and it is " + same_[index].what + " (" +
                 same_[index].where.text() +
                 "), as if it were the same on every rank: it can only be one of the two" +
                 (node.is_field() && !node.field->is_collective && node.field->parts.value.empty()
                      ? "; if the ranks hold parts of one field, it is collective=\"true\", with a size"
                      : ""));
    }
  }

  void wrong(NodeIndex node, const Location& where, const std::string& what) {
    graph_.nodes[node].is_off = true;
    report(findings_, where,
           "diagnostic " + quoted(graph_.diagnostic_of(graph_.nodes[node]).field.value) + ": " + what);
  }

  Graph& graph_;
  Findings& findings_;
  std::set<NodeIndex> warned_;
  std::vector<std::optional<Spread>>
      known_;  ///< by node: empty for what is made of non-collective fields alone
  std::vector<Spread> spreads_;
  std::vector<Reason> same_, own_;  ///< by node: why rank 0's value counts, why every rank's does
};

}  // namespace

std::vector<Spread> infer_spreads(Graph& graph, Findings& findings) {
  return SpreadInference(graph, findings).infer();
}

}  // namespace pileus::planning
