#pragma once
// Makes the nodes of an expression's tree, each behind its operands. Used by expression_tree.cpp alone.

#include <string>
#include <utility>
#include <vector>

#include "expression/expression_tree.h"

namespace pileus::planning {

/// Places are in bytes from the first of the text, `end` behind the last.
class TreeBuilder {
 public:
  TreeNode& operator[](TreeIndex index) { return tree_.nodes[index]; }

  TreeIndex add(TreeNode node, std::size_t end) {
    node.end = end;
    tree_.nodes.push_back(std::move(node));
    return tree_.root();
  }
  TreeIndex number(double value, std::size_t begin, std::size_t end) {
    TreeNode node;
    node.number = value;
    node.begin = begin;
    return add(std::move(node), end);
  }
  TreeIndex name(std::string word, std::size_t begin, std::size_t end) {
    TreeNode node;
    node.kind = TreeKind::name;
    node.word = std::move(word);
    node.begin = begin;
    return add(std::move(node), end);
  }
  TreeIndex operation(Operation operation, std::vector<TreeIndex> operands, std::size_t begin,
                      std::size_t end) {
    TreeNode node;
    node.kind = TreeKind::operation;
    node.operation = operation;
    node.operands = std::move(operands);
    node.begin = begin;
    return add(std::move(node), end);
  }
  /// The same node, whose value is 0 or 1.
  TreeIndex truth(TreeIndex node) {
    tree_.nodes[node].is_truth = true;
    return node;
  }

  /// The tree whose last node is `whole`.
  ExpressionTree take(TreeIndex whole) {
    if (whole != tree_.root()) tree_.nodes.push_back(tree_.nodes[whole]);
    return std::move(tree_);
  }

 private:
  ExpressionTree tree_;
};

}  // namespace pileus::planning
