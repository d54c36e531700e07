#include "rules/reading_order.h"

#include <string_view>

namespace pileus::planning {
namespace {

/// Calls use() with each run of letters and digits and these marks.
template <class Use>
void for_each_word(std::string_view text, std::string_view marks, const Use& use) {
  const auto is_in_word = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           marks.find(c) != marks.npos;
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_in_word(text[end])) ++end;
    if (end > at) use(std::string(text.substr(at, end - at)));
    at = end + 1;
  }
}

class ReadingOrder {
 public:
  ReadingOrder(const Graph& graph, const MeaningOf& meaning_of)
      : graph_(graph), meaning_of_(meaning_of), states_(graph.nodes.size(), State::unseen) {}

  std::vector<NodeIndex> run() {
    for (NodeIndex node = graph_.field_count; node < graph_.nodes.size(); ++node) visit(node);
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };

  /// Depth-first, without recursion: a chain may be long.
  void visit(NodeIndex first) {
    waiting_.push_back(first);
    while (!waiting_.empty()) {
      const NodeIndex node = waiting_.back();
      if (states_[node] == State::unseen) {
        states_[node] = State::open;
        add_needed(node);
        continue;
      }
      waiting_.pop_back();
      if (states_[node] == State::done) continue;
      states_[node] = State::done;
      if (graph_.nodes[node].is_of_expression) order_.push_back(node);
    }
  }

  void add_needed(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    for (const Use& use : node.inputs) add(use.node);
    if (!node.is_of_expression) return;
    const auto add_meaning = [&](const std::string& name) {
      if (const auto meaning = meaning_of_(node, name)) add(*meaning);
    };
    const std::string& text = graph_.diagnostic_of(node).expression.value;
    for_each_word(text, "", add_meaning);
    for_each_word(text, ":.-", add_meaning);  // names with namespaces, and in quotes
  }

  void add(NodeIndex node) {
    if (node >= graph_.field_count && states_[node] == State::unseen) waiting_.push_back(node);
  }

  const Graph& graph_;
  const MeaningOf& meaning_of_;
  std::vector<State> states_;
  std::vector<NodeIndex> waiting_, order_;
};

}  // namespace

std::vector<NodeIndex> expressions_in_order(const Graph& graph, const MeaningOf& meaning_of) {
  return ReadingOrder(graph, meaning_of).run();
}

}  // namespace pileus::planning
