#include "rules/read_rule.h"

#include <algorithm>
#include <charconv>

#include "core/suggest.h"
#include "expression/bin_edges.h"

namespace pileus::planning {
namespace {

class RuleReader {
 public:
  RuleReader(const Graph& graph, Node& node, const LookUp& look_up, Findings& findings)
      : graph_(graph), config_(*graph.config), node_(node), look_up_(look_up), findings_(findings) {}

  void read() {
    const Catalogue& catalogue = config_.catalogue;
    const bool is_communication = node_.rule->is_communication;
    const auto& declarations = is_communication ? catalogue.communications : catalogue.operators;
    const std::string& name = node_.rule->name.value;
    const auto found = std::ranges::find(declarations, name, &Declaration::name);
    if (found == declarations.end()) {
      std::vector<std::string> known;
      for (const Declaration& one : declarations) known.push_back(one.name);
      return wrong(node_.rule->name.where,
                   "no " + std::string(is_communication ? "communication " : "operator ") + quoted(name) +
                       did_you_mean(name, known));
    }
    switch (found->kind) {
      case RuleKind::arithmetic: return read_arithmetic();
      case RuleKind::filter: return read_filter();
      case RuleKind::localreduce: return read_localreduce();
      case RuleKind::reduction: return read_reduction();
      case RuleKind::allreduction: node_.goes_to_all = true; return read_reduction();
      case RuleKind::broadcast: node_.kind = NodeKind::broadcast; return use_parameter();
      case RuleKind::apply: node_.kind = NodeKind::apply; return read_applied(*found);
      case RuleKind::sift: node_.kind = NodeKind::sift; return read_sifted(*found);
      case RuleKind::regrid: node_.kind = NodeKind::regrid; return read_applied(*found);
      case RuleKind::lag: node_.kind = NodeKind::lag; return read_applied(*found);
    }
  }

 private:
  void read_arithmetic() {
    if (const Text* equation = parameter("equation")) read_expression(*equation, "equation");
  }

  void read_filter() {
    node_.is_filter = true;
    const Text* condition = parameter("condition");
    if (condition) read_expression(*condition, "condition");
    use_parameter();
  }

  void read_expression(const Text& written, const std::string& what) {
    try {
      node_.expression = node_.is_filter ? parse_condition(written.value) : parse_expression(written.value);
    } catch (const ExpressionError& error) {
      return wrong(inside(graph_, written, error.offset()), what + ": " + error.what());
    }
    // Terms that were folded away may have taken the last name with them, but a name is looked up all the
    // same.
    for (const Expression::Name& name : node_.expression.names) {
      look_up_(node_, {name.text, inside(graph_, written, name.offset)});
    }
    if (node_.expression.names.empty()) wrong(written.where, "the " + what + " uses no field");
  }

  void read_localreduce() {
    node_.kind = NodeKind::localreduce;
    read_reduction_word();
    use_parameter();
    use_other_of_pair();
    use_weight();
    use_bins();
    read_dimensions();
  }

  void read_sifted(const Declaration& declaration) {
    read_applied(declaration);
    read_dimensions();
  }

  void read_dimensions() {
    const auto dimensions = node_.rule->parameters.find("dimensions");
    if (dimensions == node_.rule->parameters.end()) return;
    const std::string& list = dimensions->second.value;
    for (std::size_t from = 0; from < list.size();) {
      const std::size_t end = std::min(list.find(',', from), list.size());
      const std::size_t first = std::min(list.find_first_not_of(" \t\n", from), end);
      const std::size_t last = first == end ? end : list.find_last_not_of(" \t\n", end - 1) + 1;
      node_.dimensions.push_back(
          {list.substr(first, last - first), inside(graph_, dimensions->second, first)});
      from = end + 1;
    }
  }

  void read_reduction() {
    node_.kind = NodeKind::reduction;
    read_reduction_word();
    use_parameter();
    use_other_of_pair();
    use_weight();
    const auto root = node_.rule->parameters.find("root");
    if (root == node_.rule->parameters.end() || root->second.value.empty() || root->second.value == "auto")
      return;
    const std::string& text = root->second.value;
    std::uint64_t server = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), server);
    if (problem == std::errc{} && end == text.data() + text.size()) {
      node_.root = server;
    } else if (text.find('{') == std::string::npos) {
      wrong(root->second.where, "root is \"auto\" or the number of a server, not " + quoted(text));
    }
  }

  /// The inputs of an operator that is applied as it declares itself.
  void read_applied(const Declaration& declaration) {
    node_.declaration = &declaration;
    for (const ParameterDeclaration& one : declaration.parameters) {
      const auto found = node_.rule->parameters.find(one.name);
      const bool is_given = found != node_.rule->parameters.end() && !found->second.value.empty();
      if (one.required && !is_given) {
        parameter(one.name);
      } else if (is_given && one.kind == ParameterKind::name) {
        look_up_(node_, found->second);
      }
    }
    if (node_.inputs.empty() && !node_.is_off)
      wrong(node_.where, "operator " + quoted(declaration.name) + " has no input");
  }

  void read_reduction_word() {
    const Text* word = parameter("operator");
    if (!word) return;
    if (const ReductionDeclaration* found = reduction_of_word(word->value)) {
      node_.reduction = found->reduction;
    } else if (word->value.find('{') == std::string::npos) {
      const std::vector<std::string> known = reduction_words();
      std::string words;
      for (std::size_t i = 0; i < known.size(); ++i)
        words += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + known[i];
      wrong(word->where,
            "operator is " + words + ", not " + quoted(word->value) + did_you_mean(word->value, known));
    }
  }

  /// A communication may also take the covariances that a localreduce has made.
  void use_other_of_pair() {
    const auto other = node_.rule->parameters.find("with");
    const bool is_given = other != node_.rule->parameters.end() && !other->second.value.empty();
    if (declaration_of(node_.reduction).takes_pairs && (is_given || node_.kind == NodeKind::localreduce)) {
      if (const Text* with = parameter("with")) look_up_(node_, *with);
    } else if (is_given && !node_.is_off) {
      wrong(other->second.where, "only a covariance takes \"with\"");
    }
  }

  void use_bins() {
    const auto given = [&](const char* name) -> const Text* {
      const auto found = node_.rule->parameters.find(name);
      return found == node_.rule->parameters.end() || found->second.value.empty() ? nullptr : &found->second;
    };
    const Text *by = given("by"), *edges = given("edges");
    if (node_.is_off || (by == nullptr && edges == nullptr)) return;
    if (by == nullptr || edges == nullptr) return (void)parameter(by == nullptr ? "by" : "edges");
    try {
      node_.edges =
          edges->value.find('{') != std::string::npos ? std::vector<double>{0, 1} : parse_edges(edges->value);
    } catch (const ExpressionError& error) {
      return wrong(inside(graph_, *edges, error.offset()), std::string("edges: ") + error.what());
    }
    look_up_(node_, *by);
  }

  /// A communication takes what a localreduce has made with weights.
  void use_weight() {
    const auto weight = node_.rule->parameters.find("weight");
    if (weight == node_.rule->parameters.end() || weight->second.value.empty() || node_.is_off) return;
    const auto weighted = declaration_of(node_.reduction).with_weights;
    if (!weighted) {
      return wrong(weight->second.where,
                   "the operator " + quoted(word_of(node_.reduction)) + " takes no weight");
    }
    if (declaration_of(node_.reduction).takes_pairs && node_.inputs.size() < 2) {
      parameter("with");
      return;
    }
    node_.reduction = *weighted;
    look_up_(node_, weight->second);
  }

  const Text* parameter(const std::string& name) {
    const auto found = node_.rule->parameters.find(name);
    if (found != node_.rule->parameters.end() && !found->second.value.empty()) return &found->second;
    if (node_.rule->has_misspelt) {
      node_.is_off = true;
      return nullptr;
    }
    const bool has_place = found != node_.rule->parameters.end() && found->second.is_given();
    wrong(has_place ? found->second.where : node_.where,
          node_.rule->name.value + " needs the attribute " + quoted(name));
    return nullptr;
  }

  void use_parameter() {
    if (const Text* field = parameter("field")) look_up_(node_, *field);
  }

  void wrong(const Location& where, const std::string& what) {
    node_.is_off = true;
    report(findings_, where, "diagnostic " + quoted(graph_.diagnostic_of(node_).field.value) + ": " + what);
  }

  const Graph& graph_;
  const Config& config_;
  Node& node_;
  const LookUp& look_up_;
  Findings& findings_;
};

}  // namespace

void read_rule(const Graph& graph, Node& node, const LookUp& look_up, Findings& findings) {
  RuleReader(graph, node, look_up, findings).read();
}

}  // namespace pileus::planning
