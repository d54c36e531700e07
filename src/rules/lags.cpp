#include "rules/lags.h"

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "config/values.h"

namespace pileus::planning {
namespace {

/// So many earlier fields may be kept.
constexpr std::int64_t kMostBack = 1000;
constexpr int kDeepest = 1000;  ///< results behind each other that a lag is taken of
constexpr const char* kForm = "expected hand-overs, such as \"1 step\", or a time, such as \"6 h\"";

class LagExpansion {
 public:
  LagExpansion(Graph& graph, Findings& findings) : graph_(graph), findings_(findings) {}

  void expand() {
    const std::size_t written = graph_.nodes.size();
    states_.resize(written, State::unseen);
    for (NodeIndex node = graph_.field_count; node < written; ++node) visit(node);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };

  /// Lags that a lag is made of come first. Depth-first without recursion, as chains of results may be long.
  void visit(NodeIndex first) {
    std::vector<NodeIndex> waiting = {first};
    while (!waiting.empty()) {
      const NodeIndex node = waiting.back();
      if (node >= states_.size() || states_[node] != State::unseen) {
        waiting.pop_back();
        const bool is_through = node < states_.size() && states_[node] == State::open;
        if (!is_through) continue;
        states_[node] = State::done;
        if (graph_.nodes[node].kind == NodeKind::lag) replace(node);
        continue;
      }
      states_[node] = State::open;
      for (const Use& use : graph_.nodes[node].inputs)
        if (use.node >= graph_.field_count && use.node < states_.size() && states_[use.node] == State::unseen)
          waiting.push_back(use.node);
    }
  }

  void replace(NodeIndex index) {
    if (graph_.nodes[index].is_off || graph_.nodes[index].inputs.empty()) return;
    const Use of = graph_.nodes[index].inputs.front();
    const bool is_rate = graph_.nodes[index].declaration->name == "ddt";
    const std::optional<std::size_t> group = group_behind(index, of);
    if (!group) return;
    const std::optional<std::int64_t> back = is_rate ? 1 : hand_overs(index, *group);
    if (!back) return;
    const NodeIndex before = lagged(of.node, *back, *group, graph_.nodes[index].diagnostic);
    const std::string name = "lag of " + of.name;  // by which nothing else is known
    std::vector<Use> inputs = {{before, of.where, name}};
    ProgramBuilder program;
    std::uint32_t result = program.input(0);
    if (is_rate) {
      const NodeIndex now = clock(index);
      const NodeIndex then = lagged(now, *back, *group, graph_.nodes[index].diagnostic);
      inputs = {of, {before, of.where, name}, {now, of.where, "time"}, {then, of.where, "lag of time"}};
      const std::uint32_t change = program.operation(Operation::subtract, program.input(0), program.input(1));
      const std::uint32_t length = program.operation(Operation::subtract, program.input(2), program.input(3));
      result = program.operation(Operation::divide, change, length);
    }
    Node& node = graph_.nodes[index];
    node.kind = NodeKind::arithmetic;
    node.declaration = nullptr;
    node.inputs = std::move(inputs);
    node.expression.program = program.finish(result);
  }

  /// The group whose hand-overs count: of all the fields behind the value.
  std::optional<std::size_t> group_behind(NodeIndex index, const Use& of) {
    std::set<NodeIndex> seen = {of.node};
    std::vector<NodeIndex> waiting = {of.node};
    std::optional<NodeIndex> first;
    while (!waiting.empty()) {
      const NodeIndex at = waiting.back();
      waiting.pop_back();
      const Node& node = graph_.nodes[at];
      if (node.is_off) return {};  // why is said where that is
      for (const Use& use : node.inputs)
        if (seen.insert(use.node).second) waiting.push_back(use.node);
      if (!node.is_field() || node.field->is_static) continue;
      if (!first) first = at;
      const Cadence &ours = frequency_of(*first), &other = frequency_of(at);
      if (ours == other) continue;
      wrong(index, of.where,
            quoted(of.name) + " is made of " + quoted(graph_.nodes[*first].name) + ", which comes " +
                text(ours) + ", and of " + quoted(node.name) + ", which comes " + text(other) +
                ": what was before both is not told");
      return {};
    }
    if (first && !frequency_of(*first).is_final_only()) return graph_.nodes[*first].group;
    wrong(index, of.where,
          quoted(of.name) + (first ? " comes in the final step alone" : " is made of no field that changes") +
              ": nothing was before it");
    return {};
  }

  const Cadence& frequency_of(NodeIndex field) const {
    return graph_.config->data_groups[graph_.nodes[field].group].frequency;
  }

  /// How many hand-overs of the group a lag goes back.
  std::optional<std::int64_t> hand_overs(NodeIndex index, std::size_t group) {
    const Text& by = graph_.nodes[index].rule->parameters.at("by");
    const Cadence& frequency = graph_.config->data_groups[group].frequency;
    const std::string name = quoted(graph_.config->data_groups[group].name.value);
    if (by.value.find('{') != std::string::npos) return 1;
    const Quantity written = split_quantity(by.value);
    const auto refuse = [&](const std::string& what) {
      wrong(index, by.where, "by=" + quoted(by.value) + ": " + what);
      return std::optional<std::int64_t>();
    };
    if (written.unit == "step" || written.unit == "steps") {
      const auto steps = parse_integer(written.number, 1);
      if (steps && *steps <= kMostBack) return steps;
      return refuse("from 1 to " + std::to_string(kMostBack) + " hand-overs are possible");
    }
    const auto seconds = parse_seconds(by.value);
    if (!seconds || *seconds <= 0) return refuse(kForm);
    if (!frequency.is_in_time())
      return refuse(
          "the fields of " + name + " come " + text(frequency) +
          ", and steps may have any length: write steps, or give the data-definition a frequency in "
          "time, such as frequency=\"1 h\"");
    const double times = *seconds / frequency.every.seconds, rounded = std::round(times);
    if (rounded < 1 || std::abs(times - rounded) > 1e-9 * rounded)
      return refuse("this is no multiple of the time after which the fields of " + name + " come, " +
                    text(frequency.every));
    if (rounded > static_cast<double>(kMostBack))
      return refuse("the fields of " + name + " come after each " + text(frequency.every) + ", and at most " +
                    std::to_string(kMostBack) + " of them are kept");
    return std::llround(rounded);
  }

  /// What `index` was so many hand-overs before.
  NodeIndex lagged(NodeIndex index, std::int64_t back, std::size_t group, DiagnosticIndex diagnostic) {
    const auto key = std::tuple(index, back, graph_.config->data_groups[group].name.value);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const Node node = graph_.nodes[index];  // nodes move where some are added
    NodeIndex made = index;
    if (node.kind == NodeKind::lag && node.back + back > kMostBack) {
      wrong(index, node.where,
            "lags of lags go back " + std::to_string(node.back + back) + " hand-overs, and at most " +
                std::to_string(kMostBack) + " of them are kept");
    } else if (depth_ > kDeepest) {
      wrong(index, node.where,
            "a lag is taken of what " + std::to_string(kDeepest) + " results stand behind: take it of fewer");
    } else if (node.kind == NodeKind::lag) {
      made = add_lag(node.inputs.front(), node.back + back, group, diagnostic);
    } else if (node.is_field() ? !node.field->is_static : node.kind == NodeKind::given && node.clock) {
      made = add_lag({index, node.where, node.name}, back, group, diagnostic);
    } else {
      ++depth_;
      made = copied(node, index, back, group);
      --depth_;
    }
    known_[key] = made;
    return made;
  }

  /// The same rule on what its inputs were.
  NodeIndex copied(Node node, NodeIndex index, std::int64_t back, std::size_t group) {
    bool is_other = false;
    known_[{index, back, graph_.config->data_groups[group].name.value}] =
        index;  // in a cycle, which is refused
    for (Use& use : node.inputs) {
      const NodeIndex before = lagged(use.node, back, group, node.diagnostic);
      is_other = is_other || before != use.node;
      use.node = before;
    }
    if (!is_other) return index;
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
  }

  NodeIndex add_lag(const Use& of, std::int64_t back, std::size_t group, DiagnosticIndex diagnostic) {
    Node node = made_node(NodeKind::lag, "lag", of.name, of.where, diagnostic);
    node.inputs = {of};
    node.back = back;
    node.group = group;
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
  }

  NodeIndex clock(NodeIndex of) {
    Node node = made_node(NodeKind::given, "clock", "model_time", graph_.nodes[of].where,
                          graph_.nodes[of].diagnostic);
    node.clock = ClockValue::model_time;
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
  }

  Node made_node(NodeKind kind, const char* rule, const std::string& name, const Location& where,
                 DiagnosticIndex diagnostic) {
    Node node;
    node.kind = kind;
    node.name = name;
    node.where = where;
    node.diagnostic = diagnostic;
    RuleConfig& config = graph_.made_rules.emplace_back();
    config.name = {rule, where};
    config.result = {name, where};
    config.where = where;
    node.rule = &config;
    return node;
  }

  void wrong(NodeIndex index, const Location& where, const std::string& what) {
    Node& node = graph_.nodes[index];
    node.is_off = true;
    report(findings_, where, "diagnostic " + quoted(graph_.diagnostic_of(node).field.value) + ": " + what);
  }

  Graph& graph_;
  Findings& findings_;
  int depth_ = 0;
  std::vector<State> states_;  ///< of the nodes that were written
  std::map<std::tuple<NodeIndex, std::int64_t, std::string>, NodeIndex> known_;
};

}  // namespace

void expand_lags(Graph& graph, Findings& findings) { LagExpansion(graph, findings).expand(); }

}  // namespace pileus::planning
