#include <algorithm>

#include "rules/graph.h"

namespace pileus::planning {
namespace {

/// Depth-first, without recursion: a chain of rules may be long.
class Sorter {
 public:
  Sorter(Graph& graph, Findings& findings)
      : graph_(graph), findings_(findings), states_(graph.nodes.size(), State::unseen) {}

  void sort() {
    for (NodeIndex node = graph_.field_count; node < graph_.nodes.size(); ++node) visit(node);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };
  struct Step {
    NodeIndex node;
    std::size_t next_input;
  };

  void visit(NodeIndex first) {
    if (states_[first] != State::unseen) return;
    open(first);
    while (!path_.empty()) {
      Step& step = path_.back();
      const std::vector<Use>& inputs = graph_.nodes[step.node].inputs;
      if (step.next_input == inputs.size()) {
        close();
        continue;
      }
      const Use& use = inputs[step.next_input++];
      if (graph_.nodes[use.node].is_field() || states_[use.node] == State::done) continue;
      if (states_[use.node] == State::open) {
        report_cycle(use);
      } else {
        open(use.node);
      }
    }
  }

  void open(NodeIndex node) {
    states_[node] = State::open;
    path_.push_back({node, 0});
  }

  void close() {
    const NodeIndex node = path_.back().node;
    path_.pop_back();
    states_[node] = State::done;
    graph_.order.push_back(node);
  }

  void report_cycle(const Use& back) {
    auto from =
        std::find_if(path_.begin(), path_.end(), [&](const Step& step) { return step.node == back.node; });
    constexpr std::ptrdiff_t kMostNamed = 8;
    std::string chain;
    for (auto step = from; step != path_.end(); ++step) {
      graph_.nodes[step->node].is_off = true;
      if (step - from < kMostNamed) chain += quoted(graph_.nodes[step->node].name) + " needs ";
    }
    if (path_.end() - from > kMostNamed)
      chain += "... (" + std::to_string(path_.end() - from - kMostNamed) + " others) ";
    const std::string name = quoted(graph_.nodes[back.node].name);
    report(findings_, back.where,
           path_.back().node == back.node ? name + " is made from itself"
                                          : "these results need each other: " + chain + name);
  }

  Graph& graph_;
  Findings& findings_;
  std::vector<State> states_;
  std::vector<Step> path_;
};

}  // namespace

void order_rules(Graph& graph, Findings& findings) { Sorter(graph, findings).sort(); }

void mark_live(Graph& graph) {
  for (NodeIndex index : graph.order) {
    Node& node = graph.nodes[index];
    for (const Use& use : node.inputs) node.is_off = node.is_off || graph.nodes[use.node].is_off;
  }
  for (Node& node : graph.nodes) node.is_live = false;
  for (const Entry& entry : graph.entries) {
    if (!graph.nodes[entry.node].is_off) graph.nodes[entry.node].is_live = true;
  }
  for (auto index = graph.order.rbegin(); index != graph.order.rend(); ++index) {
    const Node& node = graph.nodes[*index];
    if (!node.is_live) continue;
    for (const Use& use : node.inputs) graph.nodes[use.node].is_live = true;
  }
}

}  // namespace pileus::planning
