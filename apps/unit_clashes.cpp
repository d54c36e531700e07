#include "apps/unit_clashes.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/messages.h"
#include "expression/expression_words.h"
#include "rules/graph.h"

namespace pileus::apps {
namespace {

using planning::DiagnosticIndex;
using planning::ExpressionTree;
using planning::Graph;
using planning::Language;
using planning::Node;
using planning::NodeIndex;
using planning::NodeKind;
using planning::TreeIndex;
using planning::TreeKind;
using planning::TreeNode;

/// What is known about a value: its units, or that it is a number of the configuration, which fits any units.
struct Value {
  Unit unit = nullptr;
  std::optional<double> number = {};
  bool is_shifted = false;  ///< a temperature and a number; nobody knows the units of the result
};

/// The word for an operation on two values that must have the same units; "" if they need not.
const char* joined_word(Operation operation) {
  switch (operation) {
    case Operation::add: return "added";
    case Operation::subtract: return "subtracted";
    case Operation::less:
    case Operation::less_equal:
    case Operation::equal:
    case Operation::not_equal:
    case Operation::minimum:
    case Operation::maximum: return "compared";
    case Operation::modulo: return "divided with a remainder";
    default: break;
  }
  const FunctionDeclaration* const function = declared_function(operation);
  const bool is_of_two = function != nullptr && function->arguments == 2;
  return is_of_two ? "joined" : "";
}

bool is_comparison(Operation operation) {
  return operation == Operation::less || operation == Operation::less_equal ||
         operation == Operation::equal || operation == Operation::not_equal;
}

std::string function_word(Operation operation) {
  switch (operation) {
    case Operation::exponential: return "exp";
    case Operation::logarithm: return "log";
    case Operation::sine: return "sin";
    case Operation::cosine: return "cos";
    default: break;
  }
  return std::string(declared_function(operation)->word);
}

class Clashes {
 public:
  Clashes(const Config& config, const UnitSystem& system, Findings& findings)
      : config_(config), system_(system), findings_(findings) {
    Findings said_before;
    graph_ = planning::resolve_names(config, said_before);
    planning::order_rules(graph_, said_before);
    for (const Node& node : graph_.nodes) {
      if (node.is_field()) continue;
      for (const planning::Use& use : node.inputs) names_[node.diagnostic].try_emplace(use.name, use.node);
    }
    for (DiagnosticIndex d = 0; d < graph_.results.size(); ++d) {
      if (graph_.results[d]) result_of_[*graph_.results[d]] = d;
    }
  }

  void check() {
    // Operands come before what is made from them, so that a long chain needs no deep stack.
    for (const NodeIndex node : graph_.order) {
      if (!graph_.nodes[node].is_of_expression || result_of_.contains(node)) computed(node);
    }
    for (NodeIndex node = 0; node < graph_.nodes.size(); ++node) {
      // The parts of an expression belong to its result.
      if (!graph_.nodes[node].is_of_expression || result_of_.contains(node)) computed(node);
    }
    for (const auto& [node, diagnostic] : result_of_) check_declared(diagnostic, computed(node));
  }

 private:
  /// The text of an equation or expression, and what its names mean.
  struct Written {
    const Text* text = nullptr;
    DiagnosticIndex diagnostic = 0;
    ExpressionTree tree = {};
    std::vector<Value> values = {};  ///< by node of the tree
  };

  Unit declared(const Text& units) const {
    if (!units.is_given() || units.value.empty()) return nullptr;
    return system_.parse(units.value);
  }

  /// The units of a node as others see them: declared ones come before those that follow from its rules.
  Unit unit_of(NodeIndex node) {
    if (const auto found = result_of_.find(node); found != result_of_.end()) {
      const Metadata& metadata = config_.diagnostics[found->second].metadata;
      if (metadata.units.is_given()) return declared(metadata.units);
    }
    return computed(node);
  }

  /// The units that follow from the rules. Null if nobody knows them, and within a cycle.
  Unit computed(NodeIndex node) {
    const auto [known, is_new] = computed_.try_emplace(node);
    if (is_new) computed_[node] = compute(node);
    return computed_[node];
  }

  Unit compute(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    if (node.is_field()) return declared(node.field->metadata.units);
    if (node.kind == NodeKind::given) return given(node);
    if (node.kind == NodeKind::lag) return unit_of_input(node);
    const Text& expression = config_.diagnostics[node.diagnostic].expression;
    if (node.is_of_expression) return unit_of_text(expression, node.diagnostic, Language::expression);
    if (node.is_off) return nullptr;
    switch (node.kind) {
      case NodeKind::localreduce:
      case NodeKind::reduction: return reduced(node);
      case NodeKind::broadcast: return unit_of_input(node);
      case NodeKind::arithmetic: return equated(node);
      default: return nullptr;
    }
  }

  /// As far as the configuration says it.
  Unit given(const Node& node) const {
    if (node.clock) return system_.parse(std::string(declaration_of(*node.clock).units));
    for (const DimensionConfig& one : config_.dimensions)
      if (one.name.value == node.name) return declared(one.units);
    return nullptr;
  }

  /// Null where the name of the input means nothing, which is an error elsewhere.
  Unit unit_of_input(const Node& node) {
    return node.inputs.empty() ? nullptr : unit_of(node.inputs.front().node);
  }

  Unit reduced(const Node& node) {
    if (node.inputs.empty()) return nullptr;
    std::vector<Unit> inputs;
    for (const planning::Use& use : node.inputs) inputs.push_back(unit_of(use.node));
    const Node& input = graph_.nodes[node.inputs.front().node];
    // The result of a localreduce of a covariance or variance has its units already.
    const bool is_made =
        node.kind == NodeKind::reduction && input.kind == NodeKind::localreduce &&
        (input.reduction == node.reduction || declaration_of(node.reduction).with_weights == input.reduction);
    return is_made ? inputs.front() : reduced(node.reduction, inputs);
  }

  Unit reduced(Reduction reduction, const std::vector<Unit>& inputs) const {
    switch (declaration_of(reduction).units) {
      case UnitsOf::values: break;
      case UnitsOf::product: {
        const bool is_pair = declaration_of(reduction).takes_pairs;
        if (reduction == Reduction::weighted_sum && inputs.size() > 1)
          return product(inputs.front(), inputs[1]);              // then bins
        if (is_pair && inputs.size() < 2) return inputs.front();  // made by a localreduce before
        return product(inputs.front(), inputs[is_pair ? 1 : 0]);
      }
      case UnitsOf::nothing: return system_.one();
    }
    return inputs.front();
  }

  Unit equated(const Node& node) {
    const auto& parameters = node.rule->parameters;
    const auto text = parameters.find(node.is_filter ? "condition" : "equation");
    if (text == parameters.end()) return nullptr;
    const Language language = node.is_filter ? Language::condition : Language::equation;
    const Unit unit = unit_of_text(text->second, node.diagnostic, language);
    if (!node.is_filter) return unit;
    return node.inputs.empty() ? nullptr : unit_of(node.inputs.back().node);
  }

  Unit unit_of_text(const Text& text, DiagnosticIndex diagnostic, Language language) {
    Written written{&text, diagnostic};
    try {
      written.tree = planning::parse_tree(text.value, language, config_.catalogue.operators);
    } catch (const planning::ExpressionError&) {
      return nullptr;
    }
    // Operands come before what is made from them.
    for (const TreeNode& node : written.tree.nodes) written.values.push_back(value(written, node));
    if (written.values.back().is_shifted) shifted_.insert(diagnostic);
    return written.values.back().unit;
  }

  Value value(const Written& written, const TreeNode& node) {
    switch (node.kind) {
      case TreeKind::number: return {nullptr, node.number};
      case TreeKind::name: return {named(written, node.word)};
      case TreeKind::operation: return operation(written, node);
      case TreeKind::application: return {nullptr};
      case TreeKind::reduction: break;
    }
    std::vector<Unit> inputs;
    for (TreeIndex operand : node.operands) inputs.push_back(written.values[operand].unit);
    const Reduction reduction = planning::find_reduction(node.word)->reduction;
    if (!node.weight) return {reduced(reduction, inputs)};
    inputs.push_back(written.values[*node.weight].unit);
    return {reduced(*declaration_of(reduction).with_weights, inputs)};
  }

  Unit named(const Written& written, const std::string& name) {
    const auto& names = names_[written.diagnostic];
    const auto found = names.find(name);
    return found == names.end() ? nullptr : unit_of(found->second);
  }

  Value operation(const Written& written, const TreeNode& node) {
    std::vector<Value> operands;
    for (TreeIndex operand : node.operands) operands.push_back(written.values[operand]);
    switch (node.operation) {
      case Operation::negate:
      case Operation::absolute: return operands.front();
      case Operation::multiply:
      case Operation::divide: return multiplied(node, operands);
      case Operation::power: return raised(operands);
      case Operation::square_root: return {square_root(operands.front().unit)};
      case Operation::exponential:
      case Operation::logarithm:
      case Operation::sine:
      case Operation::cosine: return of_number(written, node, operands.front());
      case Operation::select: return joined(written, node, operands, "chosen from");
      default: break;
    }
    if (const FunctionDeclaration* const function = declared_function(node.operation))
      return declared(written, node, operands, function->units);
    Value out = joined(written, node, operands, joined_word(node.operation));
    out.is_shifted = out.is_shifted || is_shifted_temperature(node.operation, operands);
    return is_comparison(node.operation) ? Value{system_.one()} : out;
  }

  Value declared(const Written& written, const TreeNode& node, const std::vector<Value>& operands,
                 FunctionUnits units) {
    switch (units) {
      case FunctionUnits::of_number:
      case FunctionUnits::of_angle: return of_number(written, node, operands.front());
      case FunctionUnits::angle_of: of_number(written, node, operands.front()); return {system_.parse("rad")};
      case FunctionUnits::angle_of_two:
        joined(written, node, operands, joined_word(node.operation));
        return {system_.parse("rad")};
      case FunctionUnits::joined: return joined(written, node, operands, joined_word(node.operation));
      case FunctionUnits::kept: return operands.front();
      case FunctionUnits::dropped: return {system_.one()};
    }
    return {};
  }

  /// Whether a number is added to a temperature, which may turn kelvins into degrees Celsius.
  bool is_shifted_temperature(Operation operation, const std::vector<Value>& operands) const {
    if (operation != Operation::add && operation != Operation::subtract) return false;
    const auto is_temperature = [&](const Value& value) {
      return value.unit && are_convertible(value.unit, kelvin_);
    };
    return (operands[0].number && is_temperature(operands[1])) ||
           (operands[1].number && is_temperature(operands[0]));
  }

  Value multiplied(const TreeNode& node, const std::vector<Value>& operands) const {
    if (node.is_truth) return {system_.one()};
    const Unit &left = operands[0].unit, &right = operands[1].unit;
    return {node.operation == Operation::multiply ? product(left, right) : quotient(left, right)};
  }

  static Value raised(const std::vector<Value>& operands) {
    const auto exponent = operands[1].number;
    if (!exponent || !operands[0].unit) return {};
    if (*exponent == 0.5) return {square_root(operands[0].unit)};
    if (*exponent != std::round(*exponent) || std::abs(*exponent) > 9) return {};
    return {power(operands[0].unit, static_cast<int>(*exponent))};
  }

  Value of_number(const Written& written, const TreeNode& node, const Value& operand) {
    if (!operand.unit || are_equal(operand.unit, system_.one())) return {system_.one()};
    const FunctionDeclaration* const function = declared_function(node.operation);
    const bool is_angle = node.operation == Operation::sine || node.operation == Operation::cosine ||
                          (function != nullptr && function->units == FunctionUnits::of_angle);
    const TreeNode& argument = written.tree.nodes[node.operands.front()];
    warn(written, argument.begin,
         std::string(function_word(node.operation)) +
             (is_angle ? " takes radians, and " : " takes a number without units, and ") +
             said(written, node.operands.front(), operand.unit));
    return {system_.one()};
  }

  /// Checks the last two operands. After a warning nothing is known about the result.
  Value joined(const Written& written, const TreeNode& node, const std::vector<Value>& operands,
               const std::string& how) {
    std::size_t first = operands.size() - 2, last = operands.size() - 1;
    // "a > b" is computed as b < a, so the operands may have to be swapped.
    if (written.tree.nodes[node.operands[first]].begin > written.tree.nodes[node.operands[last]].begin)
      std::swap(first, last);
    const Value &left = operands[first], &right = operands[last];
    if (left.number) return right;
    if (right.number) return left;
    if (!left.unit || !right.unit) return {};
    if (are_equal(left.unit, right.unit)) return left;
    const bool is_shifted = left.is_shifted || right.is_shifted;
    if (is_shifted && are_convertible(left.unit, right.unit)) return left.is_shifted ? right : left;
    warn(written, written.tree.nodes[node.operands[last]].begin,
         said(written, node.operands[first], left.unit) + " and " +
             said(written, node.operands[last], right.unit) + ": they are " + how +
             (are_convertible(left.unit, right.unit) ? " as they are, without conversion"
                                                     : ", and their units do not fit"));
    return {};
  }

  /// `"w*w" is in m2 s-2`; for a name with written units, these as they are written.
  std::string said(const Written& written, TreeIndex index, const Unit& unit) {
    const TreeNode& node = written.tree.nodes[index];
    std::string words = written.text->value.substr(node.begin, node.end - node.begin);
    words.erase(words.find_last_not_of(" \t\n") + 1);
    const Text* units = node.kind == TreeKind::name ? written_units(written, node.word) : nullptr;
    return in_quotes(words) + " is in " + (units ? units->value : text(unit));
  }

  /// The written units of a name; null if its units follow from rules.
  const Text* written_units(const Written& written, const std::string& name) {
    const auto found = names_[written.diagnostic].find(name);
    if (found == names_[written.diagnostic].end()) return nullptr;
    const Node& node = graph_.nodes[found->second];
    const auto result = result_of_.find(found->second);
    const Text* units = node.is_field() ? &node.field->metadata.units : nullptr;
    if (result != result_of_.end()) units = &config_.diagnostics[result->second].metadata.units;
    return units && units->is_given() ? units : nullptr;
  }

  void warn(const Written& written, std::size_t offset, const std::string& what) {
    findings_.warning(
        planning::inside(graph_, *written.text, offset),
        "diagnostic " + in_quotes(config_.diagnostics[written.diagnostic].field.value) + ": " + what);
  }

  void check_declared(DiagnosticIndex diagnostic, const Unit& computed) {
    const Text& units = config_.diagnostics[diagnostic].metadata.units;
    const Unit meant = declared(units);
    if (!meant || !computed || are_equal(meant, computed)) return;
    if (shifted_.contains(diagnostic) && are_convertible(meant, computed)) return;
    const std::string unconverted = ", and its numbers are not converted: compute them in the units declared";
    findings_.warning(units.where, "units=" + in_quotes(units.value) + ": what diagnostic " +
                                       in_quotes(config_.diagnostics[diagnostic].field.value) +
                                       " computes is in " + text(computed) +
                                       (are_convertible(meant, computed) ? unconverted : ""));
  }

  const Config& config_;
  const UnitSystem& system_;
  const Unit kelvin_ = system_.parse("K");
  Findings& findings_;
  Graph graph_;
  std::map<DiagnosticIndex, std::map<std::string, NodeIndex>> names_;  ///< as the names are written there
  std::map<NodeIndex, DiagnosticIndex> result_of_;
  std::map<NodeIndex, Unit> computed_;
  std::set<DiagnosticIndex> shifted_;  ///< Value::is_shifted
};

}  // namespace

void check_unit_clashes(const Config& config, const UnitSystem& system, Findings& findings) {
  Clashes(config, system, findings).check();
}

}  // namespace pileus::apps
