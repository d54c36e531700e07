#pragma once
// Equations and conditions as programs over names. Used by the Plan, which gives the names a meaning; it
// knows nothing of fields.

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
  std::vector<Name> names;  ///< those that the program uses, in the order of their first appearance
};

/// An equation as parse_tree reads it.
Expression parse_expression(std::string_view text);
/// A condition: 1 where it holds, 0 elsewhere.
Expression parse_condition(std::string_view text);

/// Adds what computes `top` of a tree, element by element, to `builder`: the instruction that has its value.
/// `input`: the number of the input that has the value of a name or reduction; called for each that is met,
/// in their order in the text.
std::uint32_t add_tree(const ExpressionTree& tree, TreeIndex top, ProgramBuilder& builder,
                       const std::function<std::uint32_t(const TreeNode&, TreeIndex)>& input);

}  // namespace pileus::planning
