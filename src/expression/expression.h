#pragma once
// Equations and conditions as programs over names. The Plan gives the names a meaning; nothing here knows of
// fields.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/expression_tree.h"
#include "expression/program.h"
#include "expression/program_builder.h"

namespace pileus::planning {

struct Expression {
  using Name = TreeNode::Word;
  Program program;          ///< input i is names[i]
  std::vector<Name> names;  ///< the names that the program uses, in the order of their first appearance
};

/// Parses an equation; parse_tree has the language.
Expression parse_expression(std::string_view text);
/// Parses a condition, whose value is 1 where it holds and 0 elsewhere.
Expression parse_condition(std::string_view text);

/// Adds the instructions that compute `top` of a tree, element by element, to `builder`, and returns the one
/// that has its value.
/// `input` returns the number of the input with the value of a name, reduction or operator. It is called for
/// each of these in the order of the text.
std::uint32_t add_tree(const ExpressionTree& tree, TreeIndex top, ProgramBuilder& builder,
                       const std::function<std::uint32_t(const TreeNode&, TreeIndex)>& input);

}  // namespace pileus::planning
