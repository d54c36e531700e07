// Takes any text as an equation, as a condition, and as an expression that becomes a plan. A tree that is
// written out with all its parentheses must give the same tree again.

#include <cstdio>

#include "apps/unit_check.h"
#include "config/read_config.h"
#include "expression/expression.h"
#include "expression/testing/operation_words.h"
#include "layout/make_plan.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {

std::vector<std::string> seeds() {
  return {"a+b",
          "-x^2",
          "2*(w - dt^2/3) % 4",
          "a*-b/--c",
          "1.5e-3*x_1",
          "((((a))))",
          "a / b / c^d^e",
          "1e308*1e308 - 0.1",
          "ns::w + 1",
          "w > 0 and not (p <= 1 or p ne 2)",
          "mean[y,x](w * theta)",
          "mean[y,x](any[z](w > 1e-5))",
          "max[z](w | theta > 1 and w > 0) - min(profile)",
          "w - mean[y,x](w)",
          "where(count[z](w > {o}) == 0, sqrt(abs(p)), exp(log(p)) % 3)",
          "sum(local) / min(p, dt, 2)",
          "cov[y,x](w, theta | w > 0 or theta lt 300)",
          "std[x](var[y](p)) >= all[z](w != 0)",
          "where(w > 0 and p > 0, w > 1, w < -1)"};
}

std::vector<std::string> words() { return words_of_expressions(); }

}  // namespace pileus::testing

namespace pileus {
namespace {

Config configuration() {
  Findings findings;
  return read_config(R"(<io-configuration><data-definition name="d" frequency="1">
      <field name="w" size="z,y,x" collective="true" units="m s-1"/>
      <field name="theta" size="z,y,x" collective="true" units="K"/>
      <field name="p" size="y,x" collective="true" units="Pa"/><field name="profile" size="z" parts="same"/>
      <field name="local"/><field name="dt" type="scalar"/></data-definition>
    <data-handling><diagnostic field="e" expression="w"/></data-handling><data-writing>
      <file name="f.nc" write_time_frequency="10"><include field="e" time_manipulation="none"/></file>
    </data-writing></io-configuration>)",
                     testing::Input::kMain, testing::catalogue(), {}, findings);
}

/// A model of two ranks with parts of x; z is not divided.
ModelDescription model() {
  ModelDescription model;
  for (Index rank = 0; rank < 2; ++rank) {
    RankDescription& one = model.ranks.emplace_back();
    one.dimensions = {{"z", 3, {}, ""}, {"y", 2, {}, ""}, {"x", 4, {}, ""}};
    const Region volume{{0, 0, 2 * rank}, {3, 2, 2}}, plane{{0, 2 * rank}, {2, 2}};
    one.fields = {{"w", ElementType::float64, {"z", "y", "x"}, volume},
                  {"theta", ElementType::float32, {"z", "y", "x"}, volume},
                  {"p", ElementType::float64, {"y", "x"}, plane},
                  {"profile", ElementType::float64, {"z"}, {{0}, {3}}},
                  {"local", ElementType::float64, {}, {{0}, {5 + rank}}},
                  {"dt", ElementType::float64, {}, {}}};
  }
  return model;
}

using planning::ExpressionTree;
using planning::Language;
using planning::TreeIndex;
using planning::TreeKind;
using planning::TreeNode;

std::string word_of(const TreeNode& node) {
  if (node.operation == Operation::multiply && node.is_truth) return "and";
  const std::string word(testing::word_of(node.operation));
  if (word.empty())
    testing::end("no parser makes operation " + std::to_string(static_cast<int>(node.operation)));
  return word;
}

std::string text_of(const ExpressionTree& tree, TreeIndex top);

std::string listed(const ExpressionTree& tree, const std::vector<TreeIndex>& all) {
  std::string text;
  for (const TreeIndex one : all) text += (text.empty() ? "" : ", ") + text_of(tree, one);
  return text;
}

std::string text_of_reduction(const ExpressionTree& tree, const TreeNode& node) {
  std::string text = node.word;
  for (const TreeNode::Word& one : node.dimensions)
    text += (&one == &node.dimensions.front() ? "[" : ",") + one.text;
  text += (node.dimensions.empty() ? "(" : "](") + listed(tree, node.operands);
  return text + (node.condition ? " | " + text_of(tree, *node.condition) : "") + ")";
}

/// The text with all parentheses. "or" and "not" are written as the operations that they are made of.
std::string text_of(const ExpressionTree& tree, TreeIndex top) {
  const TreeNode& node = tree.nodes[top];
  if (node.kind == TreeKind::name) return node.word;
  if (node.kind == TreeKind::reduction) return text_of_reduction(tree, node);
  if (node.kind == TreeKind::number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", node.number);
    return node.number != node.number ? "{o}" : text;
  }
  if (node.operation == Operation::negate) return "(-" + text_of(tree, node.operands[0]) + ")";
  const std::string word = word_of(node);
  const bool is_call = word.size() > 2 && word != "and";
  if (is_call) return word + "(" + listed(tree, node.operands) + ")";
  return "(" + text_of(tree, node.operands[0]) + " " + word + " " + text_of(tree, node.operands[1]) + ")";
}

void require_places(const ExpressionTree& tree, std::string_view text) {
  for (TreeIndex i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    if (node.begin > node.end || node.end > text.size()) testing::end("a node is nowhere");
    if (node.kind == TreeKind::name && text.substr(node.begin, node.end - node.begin) != node.word)
      testing::end("the name " + node.word + " does not stand where it says");
    for (const TreeNode::Word& one : node.dimensions) {
      if (text.substr(one.offset, one.text.size()) != one.text)
        testing::end("the dimension " + one.text + " does not stand where it says");
    }
    for (const TreeIndex operand : node.operands) {
      if (operand >= i) testing::end("an operand is not before its node");
    }
  }
}

void parse(std::string_view text) {
  for (const auto language : {Language::equation, Language::condition, Language::expression}) {
    std::string printed, again;
    try {
      const ExpressionTree tree = planning::parse_tree(text, language);
      require_places(tree, text);
      printed = text_of(tree, tree.root());
    } catch (const planning::ExpressionError& error) {
      if (error.offset() > text.size()) testing::end("the caret would stand behind the text");
      continue;
    }
    try {
      const ExpressionTree tree = planning::parse_tree(printed, language);
      again = text_of(tree, tree.root());
    } catch (const planning::ExpressionError& error) {
      // The added parentheses may make the text too deep.
      if (std::string(error.what()).find("too deeply") == std::string::npos)
        testing::end(printed + " is not read again: " + error.what());
      continue;
    }
    if (printed != again) testing::end(printed + " is read as " + again);
  }
}

void plan(std::string_view text) {
  static const Config before = configuration();
  static const ModelDescription two_ranks = model();
  Config config = before;
  config.diagnostics.front().expression.value = text;
  Findings findings;
  check_config(config, findings, true);
  static const UnitSystem units;
  apps::check_units(config, units, findings);
  Findings with_model;
  make_plan(config, two_ranks, 2, with_model);
  // Only the model says whether a field without a size has named dimensions.
  const bool is_declared = text.find("local") == text.npos;
  if (is_declared && !findings.has_errors() && with_model.has_errors())
    testing::end("the check finds nothing, but the plan: " + with_model.text());
}

}  // namespace
}  // namespace pileus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  pileus::parse(text);
  pileus::plan(text);
  return 0;
}
