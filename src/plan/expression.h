#pragma once
// The parser of equations and conditions: numbers, names, + - * / ^, comparisons and parentheses. Used by the
// Plan, which gives the names a meaning; it knows nothing of fields.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "plan/program.h"

namespace pileus::planning {

/// An equation does not parse.
class ExpressionError : public Error {
 public:
  ExpressionError(std::size_t offset, const std::string& what) : Error(what), offset_(offset) {}
  std::size_t offset() const { return offset_; }  ///< in bytes, from the first of the equation

 private:
  std::size_t offset_;
};

struct Expression {
  struct Name {
    std::string text;
    std::size_t offset = 0;  ///< of its first appearance, in bytes
  };
  Program program;          ///< input i is names[i]
  std::vector<Name> names;  ///< those that the program uses, in the order of their first appearance
};

/// - and / are left-associative, ^ is right-associative, unary minus binds below ^. Names are letters, digits
/// and _, with namespaces before them ("dynamics::w"); one that begins with a digit ("3d_x") is a name where
/// it cannot be read as a number. An option that was left unsubstituted ("{x_size}") is a constant of unknown
/// value, NaN. Errors: ExpressionError. Nesting is limited, so that no input exhausts the stack.
Expression parse_expression(std::string_view text);
/// Comparisons of equations, joined by "and", "or" and "not", which bind less and in this order from the last
/// to the first: 1 where it holds, 0 elsewhere. Comparisons are < <= > >= == != or lt le gt ge eq ne.
Expression parse_condition(std::string_view text);

}  // namespace pileus::planning
