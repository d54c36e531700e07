#include "plan/expression.h"

#include <algorithm>

namespace pileus::planning {
namespace {

Expression as_program(const ExpressionTree& tree) {
  Expression made;
  ProgramBuilder builder;
  const auto input = [&](const TreeNode& node, TreeIndex) {
    auto known = std::ranges::find(made.names, node.word, &Expression::Name::text);
    if (known == made.names.end()) known = made.names.insert(known, {node.word, node.begin});
    return static_cast<std::uint32_t>(known - made.names.begin());
  };
  const std::uint32_t result = add_tree(tree, tree.root(), builder, input);
  made.program = builder.finish(result);
  return made;
}

}  // namespace

Expression parse_expression(std::string_view text) {
  return as_program(parse_tree(text, Language::equation));
}
Expression parse_condition(std::string_view text) {
  return as_program(parse_tree(text, Language::condition));
}

std::uint32_t add_tree(const ExpressionTree& tree, TreeIndex top, ProgramBuilder& builder,
                       const std::function<std::uint32_t(const TreeNode&, TreeIndex)>& input) {
  std::vector<bool> is_part(top + 1);
  is_part[top] = true;
  for (TreeIndex i = top + 1; i-- > 0;) {
    if (!is_part[i] || tree.nodes[i].kind != TreeKind::operation) continue;
    for (TreeIndex operand : tree.nodes[i].operands) is_part[operand] = true;
  }
  std::vector<std::uint32_t> made(top + 1);
  for (TreeIndex i = 0; i <= top; ++i) {
    if (!is_part[i]) continue;
    const TreeNode& node = tree.nodes[i];
    if (node.kind == TreeKind::number) {
      made[i] = builder.constant(node.number);
    } else if (node.kind == TreeKind::operation) {
      const auto operand = [&](std::size_t n) {
        return made[node.operands[std::min(n, node.operands.size() - 1)]];
      };
      made[i] = node.operation == Operation::select
                    ? builder.select(operand(0), operand(1), operand(2))
                    : builder.operation(node.operation, operand(0), operand(1));
    } else {
      made[i] = builder.input(input(node, i));
    }
  }
  return made[top];
}

}  // namespace pileus::planning
