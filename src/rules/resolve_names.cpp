#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "config/namespaces.h"
#include "core/suggest.h"
#include "rules/expand_expression.h"
#include "rules/given_nodes.h"
#include "rules/lags.h"
#include "rules/reading_order.h"
#include "rules/zonal.h"

namespace pileus::planning {
namespace {

/// Of NearestWord: less than a second, enough for thousands of mistakes beside as many names.
constexpr std::size_t kMostSteps = 200'000'000;

/// What a name means outside of its diagnostic.
struct Meaning {
  std::optional<NodeIndex> node;  ///< absent for a diagnostic that has no result
  std::optional<DiagnosticIndex> diagnostic;
};

class Resolver {
 public:
  Resolver(const Config& config, Findings& findings) : config_(config), findings_(findings) {
    graph_.config = &config;
  }

  Graph resolve() {
    for (const GroupConfig& group : config_.groups) {
      group_names_.push_back(full_name(group.scope, group.name.value));
      groups_.try_emplace(group_names_.back(), group_names_.size() - 1);
    }
    add_fields();
    add_rules();
    name_diagnostics();
    const auto look_up = [this](Node& node, const Text& name) { use(node, name); };
    const NodeIndex written = graph_.nodes.size();
    for (NodeIndex node = graph_.field_count; node < written; ++node) {
      if (graph_.nodes[node].is_of_expression) continue;
      Node read = graph_.nodes[node];  // nodes move where names add some
      read_rule(graph_, read, look_up, findings_);
      graph_.nodes[node] = std::move(read);
    }
    const auto meaning_of = [this](const Node& node, const std::string& name) -> std::optional<NodeIndex> {
      const Meaning* const known = find(scope_of_diagnostic(node), name);
      return known ? known->node : std::nullopt;
    };
    for (const NodeIndex node : expressions_in_order(graph_, meaning_of))
      expand_expression(graph_, node, look_up, findings_);
    for (NodeIndex node = graph_.field_count; node < graph_.nodes.size(); ++node)
      add_places_of_grid(graph_, graph_.nodes[node]);
    expand_lags(graph_, findings_);
    graph_.is_group_included.resize(config_.groups.size());
    for (std::size_t file = 0; file < config_.files.size(); ++file) add_entries(file);
    check_members();
    return std::move(graph_);
  }

 private:
  void add_fields() {
    for (std::size_t group = 0; group < config_.data_groups.size(); ++group) {
      const DataGroupConfig& data = config_.data_groups[group];
      for (const FieldConfig& field : data.fields) {
        if (field.is_collective && field.type.is_given() && field.type.value == "scalar") {
          report(findings_, field.type.where,
                 "field " + quoted(field.name.value) +
                     " is collective, each model rank holding a part of it: it cannot be a scalar");
        }
        Node node;
        node.name = full_name(data.scope, field.name.value);
        node.where = field.name.where;
        node.field = &field;
        node.group = group;
        define(node.name, field.name.where, {graph_.nodes.size(), {}});
        graph_.nodes.push_back(std::move(node));
      }
    }
    graph_.field_count = graph_.nodes.size();
  }

  void define(const std::string& name, const Location& where, Meaning meaning) {
    const auto [known, is_new] = names_.try_emplace(name, meaning);
    if (!is_new) report(findings_, where, "the name " + quoted(name) + " is given twice");
  }

  /// What `name` means in `scope`: there, then in the namespaces around it.
  const Meaning* find(const std::string& scope, const std::string& name) const {
    for (const std::string& meaning : meanings(scope, name)) {
      if (const auto known = names_.find(meaning); known != names_.end()) return &known->second;
    }
    return nullptr;
  }

  void add_rules() {
    locals_.resize(config_.diagnostics.size());
    for (const DiagnosticConfig& one : config_.diagnostics)
      unread_.emplace_back(one.unread_results.begin(), one.unread_results.end());
    for (DiagnosticIndex d = 0; d < config_.diagnostics.size(); ++d) {
      for (const RuleConfig& rule : config_.diagnostics[d].rules) {
        Node node;
        node.kind = NodeKind::arithmetic;
        node.name = rule.result.value;
        node.where = rule.where;
        node.rule = &rule;
        node.diagnostic = d;
        if (!locals_[d].try_emplace(node.name, graph_.nodes.size()).second) {
          report(findings_, rule.result.where,
                 "result " + quoted(node.name) + " is made twice in its diagnostic");
        }
        graph_.nodes.push_back(std::move(node));
      }
      if (config_.diagnostics[d].expression.is_given()) add_expression(d);
    }
  }

  void add_expression(DiagnosticIndex d) {
    Node node;
    node.name = config_.diagnostics[d].field.value;
    node.where = config_.diagnostics[d].expression.where;
    node.diagnostic = d;
    node.is_of_expression = true;
    locals_[d].try_emplace(node.name, graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
  }

  void name_diagnostics() {
    graph_.results.resize(config_.diagnostics.size());
    for (DiagnosticIndex d = 0; d < config_.diagnostics.size(); ++d) {
      const Text& name = config_.diagnostics[d].field;
      const auto found = locals_[d].find(name.value);
      if (found != locals_[d].end()) graph_.results[d] = found->second;
      if (found == locals_[d].end() && !is_unread(d, name.value)) {
        report(findings_, name.where,
               "diagnostic " + quoted(name.value) + ": no rule has the result " + quoted(name.value) +
                   did_you_mean(name.value, known_results(d)));
      }
      define(full_name(config_.diagnostics[d].scope, name.value), name.where, {graph_.results[d], d});
    }
  }

  /// Looks a name up: results of the same diagnostic first, then diagnostics and fields, from the inside of
  /// its namespaces out.
  void use(Node& node, const Text& name) {
    const auto& locals = locals_[node.diagnostic];
    if (const auto local = locals.find(name.value); local != locals.end()) {
      node.inputs.push_back({local->second, name.where, name.value});
    } else if (is_unread(node.diagnostic, name.value)) {
      node.is_off = true;  // why was said where it is made
    } else if (const Meaning* known = find(scope_of_diagnostic(node), name.value); !known) {
      if (const auto given = given_.find(node.diagnostic, name)) {
        node.inputs.push_back({*given, name.where, name.value});
        return;
      }
      wrong(node, name.where,
            "no field, diagnostic or result " + quoted(name.value) + advice_in_diagnostic(node, name.value));
    } else if (!known->node) {
      node.is_off = true;
    } else {
      given_.note_if_hidden(name, findings_);
      node.inputs.push_back({*known->node, name.where, name.value});
    }
  }

  const std::string& scope_of_diagnostic(const Node& node) const { return graph_.diagnostic_of(node).scope; }

  /// Which of the names was probably meant: the same one in another namespace, or one that is spelt like it.
  /// Nothing once that took long: beside thousands of mistakes another suggestion helps nobody.
  std::string advice(const std::string& name, std::span<const std::string> known,
                     const std::map<std::string, NodeIndex>& locals = {}, const std::string& but = "",
                     std::span<const std::string> others = {}) {
    if (steps_ > kMostSteps) return "";
    NearestWord nearest(name);
    const std::string_view last = last_name(name);
    const std::string* same = nullptr;
    const auto offer = [&](const std::string& one) {
      if (one == but || same) return;
      if (last_name(one) == last && one != name) same = &one;
      nearest.offer(one);
    };
    for (const auto& [local, node] : locals) offer(local);
    for (const std::string& one : known) offer(one);
    for (const std::string& one : others) offer(one);
    steps_ += nearest.steps();
    return did_you_mean(same ? *same : nearest.found());
  }

  std::string advice_in_diagnostic(const Node& node, const std::string& name) {
    if (std::string of_component = about_component(name); !of_component.empty()) return of_component;
    const VisibleNames& known = visible_names(config_.diagnostics[node.diagnostic].scope);
    const std::string meant = advice(name, known.all, locals_[node.diagnostic], node.name, given_.words());
    return meant.empty() ? about_a_whole(name, known.with_marks) : meant;
  }

  /// What an expression takes for an operator between two names may stand in the middle of one.
  static std::string about_a_whole(const std::string& name,
                                   const std::map<std::string, std::string>& wholes) {
    const auto found = wholes.find(name);
    if (found == wholes.end()) return "";
    return "; " + quoted(found->second) + " cannot stand in an expression, which would take \"" +
           found->second[name.size()] + "\" for an operator: a name of letters, digits and \"_\" can";
  }

  bool is_unread(DiagnosticIndex diagnostic, const std::string& result) const {
    return unread_[diagnostic].contains(result);
  }

  std::vector<std::string> known_results(DiagnosticIndex diagnostic) const {
    std::vector<std::string> names;
    for (const auto& [name, node] : locals_[diagnostic]) names.push_back(name);
    return names;
  }

  /// All names as they may be written in a scope.
  struct VisibleNames {
    std::vector<std::string> all;
    std::map<std::string, std::string> with_marks;  ///< with "-" or ".", by what stands before it
  };

  /// REQUIRES: all are defined.
  const VisibleNames& visible_names(const std::string& scope) const {
    const auto [known, is_new] = visible_.try_emplace(scope);
    VisibleNames& names = known->second;
    if (!is_new) return names;
    for (const auto& [name, meaning] : names_) {
      const std::vector<std::string> near = meanings(scope, last_name(name));
      const bool is_near = std::find(near.begin(), near.end(), name) != near.end();
      names.all.emplace_back(is_near ? last_name(name) : std::string_view(name));
      const std::size_t mark = names.all.back().find_first_of("-.");
      if (mark != std::string::npos)
        names.with_marks.emplace(names.all.back().substr(0, mark), names.all.back());
    }
    return names;
  }

  void wrong(Node& node, const Location& where, const std::string& what) {
    node.is_off = true;
    report(findings_, where, "diagnostic " + quoted(graph_.diagnostic_of(node).field.value) + ": " + what);
  }

  /// Of all groups. What no file includes does no harm, and files of groups may lack what they are for.
  void check_members() {
    for (std::size_t g = 0; g < config_.groups.size(); ++g) {
      const GroupConfig& group = config_.groups[g];
      for (const Text& member : group.members) {
        if (find(group.scope, member.value)) continue;
        const std::string what = about_unknown(member, group.scope, true);
        if (what.empty()) continue;
        if (graph_.is_group_included[g]) {
          report(findings_, member.where, what);
        } else {
          findings_.warning(member.where,
                            "group " + quoted(group.name.value) + ", which no file includes: " + what);
        }
      }
    }
  }

  void add_entries(std::size_t file) {
    for (const FileIncludeConfig& include : config_.files[file].includes) {
      if (include.field.is_given()) {
        if (!find(include.scope, include.field.value)) report_unknown(include.field, include.scope);
        add_entry(file, include, include.field, include.scope);
      }
      if (!include.group.is_given()) continue;
      const std::optional<std::size_t> group = find_group(include);
      if (!group) {
        report(findings_, include.group.where,
               "no group " + quoted(include.group.value) + advice(include.group.value, group_names_));
        continue;
      }
      graph_.is_group_included[*group] = true;
      const GroupConfig& found = config_.groups[*group];
      for (const Text& member : found.members) add_entry(file, include, member, found.scope);
    }
  }

  std::optional<std::size_t> find_group(const FileIncludeConfig& include) const {
    for (const std::string& name : meanings(include.scope, include.group.value)) {
      if (const auto found = groups_.find(name); found != groups_.end()) return found->second;
    }
    return {};
  }

  void add_entry(std::size_t file, const FileIncludeConfig& include, const Text& name,
                 const std::string& scope) {
    const Meaning* known = find(scope, name.value);
    if (known && known->node)
      graph_.entries.push_back({file, &include, name, *known->node, known->diagnostic});
  }

  void report_unknown(const Text& name, const std::string& scope) {
    const std::string what = about_unknown(name, scope, false);
    if (!what.empty()) report(findings_, name.where, what);
  }

  /// "" where the name is not known yet.
  std::string about_unknown(const Text& name, const std::string& scope, bool is_member) {
    const bool is_open = name.value.find('{') != std::string::npos;
    const bool is_group = groups_.contains(full_name(scope, name.value));
    if (is_group) {
      return quoted(name.value) + " is a group" +
             (is_member ? ", and groups hold no groups: name its members"
                        : "; write include group=" + quoted(name.value));
    }
    if (is_open) return "";
    const std::string of_component = about_component(name.value);
    return "no field or diagnostic " + quoted(name.value) +
           (of_component.empty() ? advice(name.value, visible_names(scope).all) : of_component);
  }

  /// "" unless the name, or its outermost namespace, is that of another component of the job.
  std::string about_component(const std::string& name) const {
    const std::string first = name.substr(0, name.find("::"));
    const bool is_read = std::ranges::any_of(
        config_.data_groups, [&](const DataGroupConfig& group) { return group.component.value == first; });
    if (is_read || std::ranges::find(config_.other_components, first) == config_.other_components.end())
      return "";
    return "; " + quoted(first) +
           " is another component, and fields of another component cannot be used here: a component that has "
           "no model can read its files, <data-definition component=" +
           quoted(first) + " file=...>";
  }

  const Config& config_;
  Findings& findings_;
  Graph graph_;
  std::size_t steps_ = 0;  ///< for suggestions
  std::map<std::string, Meaning> names_;
  GivenNames given_{graph_};
  std::vector<std::string> group_names_;
  std::map<std::string, std::size_t> groups_;             ///< by name
  std::vector<std::map<std::string, NodeIndex>> locals_;  ///< by diagnostic
  std::vector<std::set<std::string>> unread_;             ///< by diagnostic
  mutable std::map<std::string, VisibleNames> visible_;   ///< by scope, once they were asked for
};

}  // namespace

Graph resolve_names(const Config& config, Findings& findings) { return Resolver(config, findings).resolve(); }

std::string full_name_of(const Graph& graph, const Entry& entry) {
  if (!entry.diagnostic) return graph.nodes[entry.node].name;
  const DiagnosticConfig& diagnostic = graph.config->diagnostics[*entry.diagnostic];
  return full_name(diagnostic.scope, diagnostic.field.value);
}

std::string described(const Graph& graph, NodeIndex index) {
  const Node& node = graph.nodes[index];
  if (node.is_field()) return "field " + quoted(node.name);
  if (node.kind == NodeKind::given)
    return (node.clock ? "the clock's " : "the coordinates of dimension ") + quoted(node.name);
  const DiagnosticConfig& diagnostic = graph.diagnostic_of(node);
  const std::string name = "diagnostic " + quoted(full_name(diagnostic.scope, diagnostic.field.value));
  return node.name == diagnostic.field.value ? name : "result " + quoted(node.name) + " of " + name;
}

void report(Findings& findings, const Location& where, std::string what) {
  if (where.line > 0 && findings.has_error_at(where)) return;
  findings.error(where, std::move(what));
}

}  // namespace pileus::planning
