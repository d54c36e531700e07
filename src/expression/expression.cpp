#include "expression/expression.h"

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
  // Looks only at what is below `top`, as a text has many trees.
  std::vector<TreeIndex> parts = {top};
  for (std::size_t next = 0; next < parts.size(); ++next) {
    const TreeNode& node = tree.nodes[parts[next]];
    if (node.kind == TreeKind::operation)
      parts.insert(parts.end(), node.operands.begin(), node.operands.end());
  }
  std::ranges::sort(parts);
  std::vector<std::uint32_t> made(parts.size());
  const auto made_of = [&](TreeIndex part) {
    return made[static_cast<std::size_t>(std::ranges::lower_bound(parts, part) - parts.begin())];
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TreeNode& node = tree.nodes[parts[i]];
    if (node.kind == TreeKind::number) {
      made[i] = builder.constant(node.number);
    } else if (node.kind == TreeKind::operation) {
      const auto operand = [&](std::size_t n) {
        return made_of(node.operands[std::min(n, node.operands.size() - 1)]);
      };
      made[i] = node.operation == Operation::select
                    ? builder.select(operand(0), operand(1), operand(2))
                    : builder.operation(node.operation, operand(0), operand(1));
    } else {
      made[i] = builder.input(input(node, parts[i]));
    }
  }
  return made.back();
}

}  // namespace pileus::planning
