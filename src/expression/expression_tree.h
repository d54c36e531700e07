#pragma once
// The parser of equations, conditions and expressions. It makes a tree whose nodes know their places in the
// text. Others decide what names mean and which rules compute a tree.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.h"
#include "core/error.h"
#include "expression/program.h"

namespace pileus::planning {

/// An equation, a condition or an expression does not parse.
class ExpressionError : public Error {
 public:
  ExpressionError(std::size_t offset, const std::string& what) : Error(what), offset_(offset) {}
  std::size_t offset() const { return offset_; }  ///< in bytes from the start of the text

 private:
  std::size_t offset_;
};

/// Which part of the language is allowed.
enum class Language : std::uint8_t {
  equation,   ///< numbers, names and functions, element by element
  condition,  ///< comparisons of equations, joined by and, or, not
  expression  ///< both, and reductions over dimensions
};

using TreeIndex = std::uint32_t;

enum class TreeKind : std::uint8_t { number, name, operation, reduction, application };

struct TreeNode {
  /// A word and its place, in bytes from the start of the text.
  struct Word {
    std::string text;
    std::size_t offset = 0;
  };

  /// A parameter of an operator: the value of a field or expression, or a text.
  struct Argument {
    Word parameter;
    std::optional<TreeIndex> value;
    Word text;
  };

  TreeKind kind = TreeKind::number;
  double number = 0;                          ///< the value of a number; NaN for an option that is not known
  std::string word;                           ///< the name of a name; what a reduction takes, such as "mean";
                                              ///< an operator that is applied
  Operation operation = Operation::constant;  ///< the operation of an operation
  std::vector<TreeIndex> operands;            ///< they stand before their node; a reduction has its arguments
                                              ///< here
  std::vector<Argument> arguments;            ///< of an operator
  std::optional<TreeIndex> by;                ///< in a reduction: into which bins its arguments go
  Word edges;                                 ///< of these bins
  std::optional<TreeIndex> weight;            ///< in a reduction: of its arguments
  std::optional<TreeIndex> condition;         ///< where arguments count: of a reduction, or a regridding
  std::vector<Word> dimensions;               ///< those of a reduction, or of an operator; empty: all
  bool is_truth = false;                      ///< its value is 0 or 1
  std::size_t begin = 0, end = 0;             ///< the place in the text, in bytes
};

struct ExpressionTree {
  std::vector<TreeNode> nodes;  ///< the last is the root
  TreeIndex root() const { return static_cast<TreeIndex>(nodes.size() - 1); }
};

/// Parses a text. "or" binds least, then "and", "not", comparisons (< <= > >= == != or lt le gt ge eq ne), +
/// -, * / %, signs, ^. - / % are left-associative, ^ is right-associative.
/// Names are letters, digits and _, with namespaces before them ("dynamics::w"). One that begins with a digit
/// ("3d_x") is a name unless it can be read as a number.
/// A reduction is a word of expression_words.h before its arguments. Dimensions may stand in brackets between
/// them, and a condition behind "|": "mean[y,x](w | w > 0)". min and max of several arguments compare these
/// instead.
/// An operator of `operators` is applied like a function: "interpolate[z](t, of=p, to=[5, 8])". Fields and
/// expressions stand in the order of its parameters, or behind their names and "="; others always do.
/// Errors: ExpressionError. Nesting and the number of operands are limited, so that no input exhausts the
/// stack or the memory.
ExpressionTree parse_tree(std::string_view text, Language language,
                          std::span<const Declaration> operators = {});

}  // namespace pileus::planning
