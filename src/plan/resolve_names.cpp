#include <algorithm>
#include <array>
#include <map>

#include "core/suggest.h"
#include "plan/read_rule.h"

namespace pileus::planning {
namespace {

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
    add_fields();
    add_rules();
    name_diagnostics();
    const auto look_up = [this](Node& node, const Text& name) { use(node, name); };
    for (NodeIndex node = graph_.field_count; node < graph_.nodes.size(); ++node) {
      read_rule(graph_, graph_.nodes[node], look_up, findings_);
    }
    for (std::size_t file = 0; file < config_.files.size(); ++file) add_entries(file);
    return std::move(graph_);
  }

 private:
  void add_fields() {
    for (std::size_t group = 0; group < config_.data_groups.size(); ++group) {
      const DataGroupConfig& data = config_.data_groups[group];
      if (data.frequency < 1) {
        report(findings_, data.where,
               "data-definition " + quoted(data.name.value) + ": the frequency is at least 1 step");
      }
      for (const FieldConfig& field : data.fields) {
        if (field.is_collective && field.type.is_given() && field.type.value == "scalar") {
          report(findings_, field.type.where,
                 "field " + quoted(field.name.value) +
                     " is collective, each model rank holding a part of it: it cannot be a scalar");
        }
        Node node;
        node.name = field.name.value;
        node.where = field.name.where;
        node.field = &field;
        node.group = group;
        node.is_off = data.frequency < 1;
        define(field.name, {graph_.nodes.size(), {}});
        graph_.nodes.push_back(std::move(node));
      }
    }
    graph_.field_count = graph_.nodes.size();
  }

  void define(const Text& name, Meaning meaning) {
    const auto [known, is_new] = names_.try_emplace(name.value, meaning);
    if (!is_new) report(findings_, name.where, "the name " + quoted(name.value) + " is given twice");
  }

  void add_rules() {
    locals_.resize(config_.diagnostics.size());
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
    }
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
                   did_you_mean(name.value, known_names(d, false)));
      }
      define(name, {graph_.results[d], d});
    }
  }

  /// Looks a name up: results of the same diagnostic first, then diagnostics and fields.
  void use(Node& node, const Text& name) {
    const auto& locals = locals_[node.diagnostic];
    if (const auto local = locals.find(name.value); local != locals.end()) {
      node.inputs.push_back({local->second, name.where, name.value});
    } else if (is_unread(node.diagnostic, name.value)) {
      node.is_off = true;  // why was said where it is made
    } else if (const auto known = names_.find(name.value); known == names_.end()) {
      std::vector<std::string> others = known_names(node.diagnostic, true);
      std::erase(others, node.name);
      wrong(node, name.where,
            "no field, diagnostic or result " + quoted(name.value) + did_you_mean(name.value, others));
    } else if (!known->second.node) {
      node.is_off = true;
    } else {
      node.inputs.push_back({*known->second.node, name.where, name.value});
    }
  }

  bool is_unread(DiagnosticIndex diagnostic, const std::string& result) const {
    const std::vector<std::string>& unread = config_.diagnostics[diagnostic].unread_results;
    return std::find(unread.begin(), unread.end(), result) != unread.end();
  }

  std::vector<std::string> known_names(DiagnosticIndex diagnostic, bool with_global) const {
    std::vector<std::string> names;
    for (const auto& [name, node] : locals_[diagnostic]) names.push_back(name);
    if (!with_global) return names;
    for (const auto& [name, meaning] : names_) names.push_back(name);
    return names;
  }

  void wrong(Node& node, const Location& where, const std::string& what) {
    node.is_off = true;
    report(findings_, where, "diagnostic " + quoted(graph_.diagnostic_of(node).field.value) + ": " + what);
  }

  void add_entries(std::size_t file) {
    for (const FileIncludeConfig& include : config_.files[file].includes) {
      if (include.field.is_given()) add_entry(file, include, include.field);
      if (!include.group.is_given()) continue;
      const auto group = std::find_if(config_.groups.begin(), config_.groups.end(),
                                      [&](const auto& one) { return one.name.value == include.group.value; });
      if (group == config_.groups.end()) {
        std::vector<std::string> known;
        for (const GroupConfig& one : config_.groups) known.push_back(one.name.value);
        report(findings_, include.group.where,
               "no group " + quoted(include.group.value) + did_you_mean(include.group.value, known));
        continue;
      }
      for (const Text& member : group->members) add_entry(file, include, member);
    }
  }

  void add_entry(std::size_t file, const FileIncludeConfig& include, const Text& name) {
    const auto known = names_.find(name.value);
    if (known != names_.end()) {
      if (!known->second.node) return;
      graph_.entries.push_back({file, &include, name, *known->second.node, known->second.diagnostic});
      return;
    }
    std::vector<std::string> names;
    for (const auto& [word, meaning] : names_) names.push_back(word);
    const bool is_open = name.value.find('{') != std::string::npos;
    if (!is_open) {
      report(findings_, name.where,
             "no field or diagnostic " + quoted(name.value) + did_you_mean(name.value, names));
    }
  }

  const Config& config_;
  Findings& findings_;
  Graph graph_;
  std::map<std::string, Meaning> names_;
  std::vector<std::map<std::string, NodeIndex>> locals_;  ///< by diagnostic
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A piece of an attribute as it is written, and how much of the value it became.
struct WrittenPiece {
  std::size_t written = 1;
  std::string_view value;
};

/// The piece that `text` begins with: an {option}, an entity, a line end or a single character.
WrittenPiece first_piece(const Config& config, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEntities = {
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&apos;", "'"}}};
  for (const auto& [written, value] : kEntities) {
    if (text.starts_with(written)) return {written.size(), value};
  }
  if (text.starts_with("\r\n")) return {2, text.substr(1, 1)};
  const std::size_t close = text.front() == '{' ? text.find('}') : std::string_view::npos;
  if (close != std::string_view::npos) {
    std::string_view key = text.substr(1, close - 1);
    while (!key.empty() && is_space(key.front())) key.remove_prefix(1);
    while (!key.empty() && is_space(key.back())) key.remove_suffix(1);
    const auto option = config.options.find(std::string(key));
    if (option != config.options.end()) return {close + 1, option->second};
  }
  return {1, text.substr(0, 1)};
}

bool is_alike(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return x == y || (is_space(x) && is_space(y)); });
}

}  // namespace

Graph resolve_names(const Config& config, Findings& findings) { return Resolver(config, findings).resolve(); }

std::string described(const Graph& graph, NodeIndex index) {
  const Node& node = graph.nodes[index];
  if (node.is_field()) return "field " + quoted(node.name);
  const std::string& diagnostic = graph.diagnostic_of(node).field.value;
  if (node.name == diagnostic) return "diagnostic " + quoted(diagnostic);
  return "result " + quoted(node.name) + " of diagnostic " + quoted(diagnostic);
}

void report(Findings& findings, const Location& where, std::string what) {
  for (const Finding& finding : findings.all()) {
    if (where.line > 0 && finding.severity == Severity::error && finding.where == where) return;
  }
  findings.error(where, std::move(what));
}

Location inside(const Config& config, const Text& text, std::size_t offset) {
  if (!text.is_given()) return text.where;
  std::size_t at = 0;
  for (int line = 1; line < text.where.line && at != std::string::npos; ++line) {
    at = config.text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos || text.where.column < 1) return text.where;
  at += static_cast<std::size_t>(text.where.column) - 1;

  Location place = text.where;
  const std::string_view value = text.value;
  for (std::size_t read = 0; read < value.size();) {
    if (at >= config.text.size()) return text.where;
    const WrittenPiece piece = first_piece(config, std::string_view(config.text).substr(at));
    if (!is_alike(piece.value, value.substr(read, piece.value.size()))) return text.where;
    read += piece.value.size();
    if (read > offset) return place;
    for (std::size_t i = 0; i < piece.written; ++i, ++at) {
      place.column = config.text[at] == '\n' ? 1 : place.column + 1;
      if (config.text[at] == '\n') ++place.line;
    }
  }
  return place;
}

}  // namespace pileus::planning
