#include "rules/expand_expression.h"

#include <algorithm>
#include <map>

#include "config/known_numbers.h"
#include "config/schema/schema.h"
#include "config/value_check.h"
#include "expression/bin_edges.h"
#include "expression/expression_tree.h"
#include "expression/expression_words.h"
#include "rules/zonal.h"

namespace pileus::planning {
namespace {

class Expansion {
 public:
  Expansion(Graph& graph, DiagnosticIndex diagnostic, const LookUp& look_up, Findings& findings)
      : graph_(graph),
        diagnostic_(diagnostic),
        text_(graph.config->diagnostics[diagnostic].expression),
        look_up_(look_up),
        findings_(findings) {}

  /// The node of the whole; those before it are in the graph.
  Node expand() {
    try {
      tree_ = parse_tree(text_.value, Language::expression, graph_.config->catalogue.operators);
    } catch (const ExpressionError& error) {
      return off(error.offset(), std::string("expression: ") + error.what());
    }
    Node node = made(tree_.root());
    if (node.inputs.empty() && !node.is_off) return off(0, "the expression uses no field");
    return node;
  }

 private:
  Location place(std::size_t offset) const { return inside(graph_, text_, offset); }

  Node off(std::size_t offset, const std::string& what) {
    Node node = begun(0, text_.value.size(), "expression");
    node.is_off = true;
    report(findings_, place(offset),
           "diagnostic " + quoted(graph_.config->diagnostics[diagnostic_].field.value) + ": " + what);
    return node;
  }

  /// A node for what stands between two places, called by it.
  Node begun(std::size_t begin, std::size_t end, const std::string& rule) {
    Node node;
    node.kind = NodeKind::arithmetic;
    node.name = shortened(std::string_view(text_.value).substr(begin, end - begin));
    node.where = place(begin);
    node.diagnostic = diagnostic_;
    node.is_of_expression = true;
    RuleConfig& config = graph_.made_rules.emplace_back();
    config.name = {rule, node.where};
    config.result = {node.name, node.where};
    config.where = node.where;
    node.rule = &config;
    return node;
  }
  Node begun(TreeIndex top, const std::string& rule) {
    return begun(tree_.nodes[top].begin, tree_.nodes[top].end, rule);
  }

  NodeIndex add(Node node) {
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
  }

  /// Adds the value of `top` to the inputs of `node`; false after an error.
  bool take(Node& node, TreeIndex top) {
    const TreeNode& written = tree_.nodes[top];
    const std::size_t before = node.inputs.size();
    if (written.kind == TreeKind::name) {
      look_up_(node, {written.word, place(written.begin)});
    } else {
      Node input = made(top);
      node.is_off = node.is_off || input.is_off;
      const Location where = input.where;
      const std::string name = input.name;
      node.inputs.push_back({add(std::move(input)), where, name});
    }
    if (node.inputs.size() == before) node.is_off = true;
    return node.inputs.size() > before;
  }

  Node made(TreeIndex top) {
    switch (tree_.nodes[top].kind) {
      case TreeKind::reduction: return reduction(top);
      case TreeKind::application: return application(top);
      default: return element_wise(top);
    }
  }

  /// An operator, with its parameters as a rule would have them.
  Node application(TreeIndex top) {
    const TreeNode& written = tree_.nodes[top];
    Node node = begun(top, written.word);
    RuleConfig& rule = graph_.made_rules.back();
    const std::vector<Declaration>& operators = graph_.config->catalogue.operators;
    node.declaration = &*std::ranges::find(operators, written.word, &Declaration::name);
    node.kind = node.declaration->kind == RuleKind::regrid ? NodeKind::regrid
                : node.declaration->kind == RuleKind::lag  ? NodeKind::lag
                                                           : NodeKind::apply;
    const auto bracketed = std::ranges::find_if(node.declaration->parameters, stands_in_brackets);
    const bool takes_dimensions = bracketed != node.declaration->parameters.end();
    for (const ParameterDeclaration& one : node.declaration->parameters) {
      const auto given = std::ranges::find_if(
          written.arguments, [&](const auto& argument) { return argument.parameter.text == one.name; });
      const bool is_in_brackets = takes_dimensions && &one == &*bracketed;
      if (is_in_brackets && !written.dimensions.empty()) {
        if (given != written.arguments.end())
          refuse(node, written.begin, quoted(one.name) + " is given twice");
        rule.parameters[one.name] = dimensions_of(written);
      } else if (given != written.arguments.end()) {
        give(node, rule, one, *given, written.condition);
      } else if (one.required) {
        lacks(node, written, one);
      }
    }
    if (!written.dimensions.empty() && !takes_dimensions)
      refuse(node, written.begin, quoted(written.word) + " takes no dimensions in brackets");
    return node.declaration->joint ? joint(top, std::move(node)) : node;
  }

  /// A histogram of the numbers of bins, whose only dimension of bins becomes several. `number` has the
  /// parameters, and as its last input the weight, if there is one.
  Node joint(TreeIndex top, Node number) {
    const JointBins& joint = *number.declaration->joint;
    const auto& parameters = number.rule->parameters;
    const Location where = number.where;
    const std::string name = number.name;
    Node local = begun(top, "count");
    local.kind = NodeKind::localreduce;
    local.reduction = Reduction::count;
    for (const TreeNode::Word& dimension : tree_.nodes[top].dimensions)
      local.dimensions.push_back({dimension.text, place(dimension.offset)});
    local.is_off = number.is_off;
    if (parameters.contains("weight") && !number.inputs.empty()) {
      local.reduction = Reduction::sum;
      local.inputs.push_back(number.inputs.back());
      number.inputs.pop_back();
    }
    const double bins = bins_together(parameters);
    for (double edge = 0; edge <= bins; ++edge) local.edges.push_back(edge);
    Node unfold = begun(top, number.declaration->name);
    graph_.made_rules.back().parameters = parameters;
    unfold.kind = NodeKind::apply;
    unfold.declaration = &joint.unfold;
    number.declaration = &joint.number;
    const Use numbers{add(std::move(number)), where, name};
    if (local.inputs.empty()) local.inputs.push_back(numbers);
    local.inputs.push_back(numbers);
    Node whole = begun(top, local.rule->name.value);
    whole.kind = NodeKind::reduction;
    whole.reduction = local.reduction;
    whole.is_off = unfold.is_off = local.is_off;
    whole.inputs.push_back({add(std::move(local)), where, name});
    unfold.inputs.push_back({add(std::move(whole)), where, name});
    return unfold;
  }

  /// How many; what is wrong with them, the operator itself says.
  static double bins_together(const std::map<std::string, Text>& parameters) {
    double bins = 1;
    try {
      for (const auto& [name, text] : parameters)
        if (name.ends_with("_edges") && text.value.find('{') == std::string::npos)
          bins *= static_cast<double>(parse_edges(text.value).size() - 1);
    } catch (const ExpressionError&) {
      return 1;
    }
    return bins <= 16384 ? bins : 1;
  }

  static bool stands_in_brackets(const ParameterDeclaration& parameter) {
    return parameter.kind == ParameterKind::names || parameter.name == "dimension";
  }

  void give(Node& node, RuleConfig& rule, const ParameterDeclaration& parameter,
            const TreeNode::Argument& given, const std::optional<TreeIndex>& condition) {
    Text& text = rule.parameters[parameter.name];
    if (given.value) {
      const TreeNode& value = tree_.nodes[*given.value];
      text = {shortened(std::string_view(text_.value).substr(value.begin, value.end - value.begin)),
              place(value.begin)};
      take_kept(node, *given.value, condition);
      if (condition && !node.is_off) text.value = node.inputs.back().name;
      return;
    }
    text = {given.text.text, place(given.text.offset)};
    if (parameter.kind == ParameterKind::numbers) {
      const std::string why = put_known_numbers(text, *graph_.config);
      if (!why.empty()) return refuse(node, given.text.offset, why);
    }
    const ElementSchema schema = with_parameters({}, *node.declaration);
    const bool is_open = text.value.find('{') != std::string::npos;
    const std::string problem = is_open ? "" : value_problem(text.value, *schema.find(parameter.name));
    if (!problem.empty())
      refuse(node, given.text.offset, parameter.name + "=" + quoted(text.value) + ": " + problem);
  }

  Text dimensions_of(const TreeNode& written) const {
    std::string list;
    for (const TreeNode::Word& one : written.dimensions) list += (list.empty() ? "" : ",") + one.text;
    return {list, place(written.dimensions.front().offset)};
  }

  void lacks(Node& node, const TreeNode& written, const ParameterDeclaration& parameter) {
    refuse(node, written.begin,
           "operator " + quoted(written.word) + " needs " +
               (stands_in_brackets(parameter) ? "dimensions in brackets: " + quoted(written.word + "[z](...)")
                                              : quoted(parameter.name + "=...")));
  }

  void refuse(Node& node, std::size_t offset, const std::string& what) {
    node.is_off = true;
    report(findings_, place(offset),
           "diagnostic " + quoted(graph_.config->diagnostics[diagnostic_].field.value) + ": " + what);
  }

  Node element_wise(TreeIndex top) {
    Node node = begun(top, "expression");
    take_program(node, top);
    return node;
  }

  void take_program(Node& node, TreeIndex top) {
    ProgramBuilder builder;
    std::map<std::string, std::uint32_t> names;
    const auto input = [&](const TreeNode& written, TreeIndex index) -> std::uint32_t {
      const bool is_name = written.kind == TreeKind::name;
      if (const auto known = names.find(written.word); is_name && known != names.end()) return known->second;
      if (!take(node, index)) return 0;
      const auto number = static_cast<std::uint32_t>(node.inputs.size() - 1);
      if (is_name) names[written.word] = number;
      return number;
    };
    const std::uint32_t result = add_tree(tree_, top, builder, input);
    node.expression.program = builder.finish(result);
  }

  /// The argument of a reduction, where its condition holds.
  Node filter(TreeIndex argument, TreeIndex condition) {
    Node node = begun(tree_.nodes[argument].begin, tree_.nodes[condition].end, "expression");
    node.is_filter = true;
    take_program(node, condition);
    take(node, argument);
    return node;
  }

  /// Adds an argument to the inputs of `node`, where its condition holds.
  void take_kept(Node& node, TreeIndex argument, const std::optional<TreeIndex>& condition) {
    if (!condition) return (void)take(node, argument);
    Node kept = filter(argument, *condition);
    node.is_off = node.is_off || kept.is_off;
    const Location where = kept.where;
    const std::string name = kept.name;
    node.inputs.push_back({add(std::move(kept)), where, name});
  }

  Node reduction(TreeIndex top) {
    const TreeNode& written = tree_.nodes[top];
    Node local = begun(top, written.word);
    local.kind = NodeKind::localreduce;
    local.reduction = code_of(written);
    for (const TreeNode::Word& dimension : written.dimensions) {
      local.dimensions.push_back({dimension.text, place(dimension.offset)});
    }
    if (written.word == kHistogram) {
      take_values_of_bins(local, written);
    } else {
      take_operands(local, written);
    }
    Node whole = begun(top, written.word);
    whole.kind = NodeKind::reduction;
    whole.reduction = local.reduction;
    whole.is_off = local.is_off;
    const Location where = local.where;
    const std::string name = local.name;
    whole.inputs.push_back({add(std::move(local)), where, name});
    return whole;
  }

  void take_operands(Node& local, const TreeNode& written) {
    take_kept(local, written.operands.front(), written.condition);
    // Where the first of a pair has no value, the pair has none.
    if (written.operands.size() > 1) take(local, written.operands.back());
    if (written.weight) take(local, *written.weight);
    if (written.word == kZonal) take_grid(local, written);
    if (written.by || written.word == kZonal) take_edges(local, written);
    if (written.by) take(local, *written.by);
  }

  /// A histogram counts values, or adds up their weights, by the values.
  void take_values_of_bins(Node& local, const TreeNode& written) {
    local.reduction = written.weight ? Reduction::sum : Reduction::count;
    take_kept(local, written.weight.value_or(written.operands.front()), written.condition);
    take_edges(local, written);
    take(local, written.operands.front());
  }

  void take_edges(Node& local, const TreeNode& written) {
    constexpr const char* kBands = "-90:90:1";
    try {
      const std::string& text = written.edges.text;
      local.edges = text.find('{') != std::string::npos ? std::vector<double>{0, 1}
                                                        : parse_edges(text.empty() ? kBands : text);
    } catch (const ExpressionError& error) {
      refuse(local, written.edges.offset + error.offset(), std::string("edges: ") + error.what());
    }
  }

  void take_grid(Node& local, const TreeNode& written) {
    const GridConfig* grid = local.inputs.empty() ? nullptr : grid_behind(graph_, local.inputs.front().node);
    if (grid == nullptr || grid->latitude.value.empty()) {
      return refuse(
          local, written.begin,
          "zonal takes what lies on one grid that has latitudes (grid=\"...\" of its fields); elsewhere "
          "write \"mean[y,x](a, weight=area, by=latitude, edges=-90:90:1)\"");
    }
    const Location where = place(written.begin);
    if (local.dimensions.empty())
      for (const Text& one : grid->dimensions) local.dimensions.push_back({one.value, where});
    if (!written.weight && !grid->area.value.empty()) {
      local.reduction = Reduction::weighted_mean;
      take_field(local, *grid, grid->area, where);
    }
    take_field(local, *grid, grid->latitude, where);
  }

  void take_field(Node& local, const GridConfig& grid, const Text& name, const Location& where) {
    const auto field = field_of_grid(graph_, grid, name);
    local.is_off = local.is_off || !field;
    if (field) local.inputs.push_back({*field, where, name.value});
  }

  /// Truth values are 0 or 1: any is their largest, all their smallest, count their sum.
  Reduction code_of(const TreeNode& written) const {
    const ReductionDeclaration& declaration = declaration_of(find_reduction(written.word)->reduction);
    if (written.weight) return *declaration.with_weights;
    const bool is_of_truths =
        declaration.keeps == Keeps::truth || tree_.nodes[written.operands.front()].is_truth;
    return is_of_truths ? declaration.of_results.value_or(declaration.reduction) : declaration.reduction;
  }

  Graph& graph_;
  DiagnosticIndex diagnostic_;
  const Text& text_;
  const LookUp& look_up_;
  Findings& findings_;
  ExpressionTree tree_;
};

}  // namespace

void expand_expression(Graph& graph, NodeIndex result, const LookUp& look_up, Findings& findings) {
  const Node& before = graph.nodes[result];
  const std::string name = before.name;
  Node made = Expansion(graph, before.diagnostic, look_up, findings).expand();
  made.name = name;
  graph.nodes[result] = std::move(made);
}

}  // namespace pileus::planning
