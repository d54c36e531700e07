#pragma once
// The functions and reductions of equations and expressions, each declared once. The parser's tables,
// suggestions, pileus help and docs/operators.md are made from these declarations.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/catalogue.h"
#include "core/reduction.h"
#include "expression/program.h"

namespace pileus::planning {

/// A function that works element by element, in equations, conditions and expressions.
struct ExpressionFunction {
  std::string_view word;
  std::string_view written;  ///< with its arguments
  std::string_view help;
  Operation operation;
  std::size_t arguments;    ///< the least number if it takes more
  bool takes_more = false;  ///< it takes more arguments; with one argument it is a reduction
};

/// A reduction over dimensions, which only expressions may have.
struct ExpressionReduction {
  std::string_view word;
  std::string_view written;
  std::string_view help;
  Reduction reduction = Reduction::sum;
  std::size_t arguments = 1;
  bool takes_weight = false;
};

/// The mean by latitude of what lies on a grid.
inline constexpr std::string_view kZonal = "zonal";
/// How many values, or how much weight, lie in each bin: a reduction that goes by its own values.
inline constexpr std::string_view kHistogram = "histogram";

std::span<const ExpressionFunction> expression_functions();
std::span<const ExpressionReduction> expression_reductions();
/// The function of this name; null if there is none.
const ExpressionFunction* find_function(std::string_view word);
const ExpressionReduction* find_reduction(std::string_view word);

/// What `word`, which is no function here, stands for: the name here of what others call so ("ln" is "log"),
/// otherwise the nearest word; "" if none is near. `with_reductions`: reductions may stand there.
std::string function_meant(std::string_view word, bool with_reductions);
/// How to write here what others have a function `word` for, with an operator or some steps: "log(a) /
/// log(10)" for log10; "" if there is no such way. `with_reductions`: reductions may stand there.
std::string_view written_otherwise(std::string_view word, bool with_reductions);
/// If `text` begins with an operator of C, Fortran or Python that is written otherwise here: that operator
/// and ours, {"&&", "and"}; otherwise both are empty. Letter case does not count. `may_compare`: operators of
/// conditions may stand there.
std::pair<std::string_view, std::string_view> foreign_operator(std::string_view text, bool may_compare);
/// All words in alphabetical order.
std::vector<std::string> function_words(bool with_reductions);

/// What an equation may hold, in one line.
std::string what_equations_hold();

inline bool is_reduction(std::string_view word) { return find_reduction(word) != nullptr; }
/// The operator that may be applied whose name is most like a word; "" if none is near.
std::string operator_meant(std::string_view word, std::span<const Declaration> operators);
/// Whether an operator may be applied in an expression.
inline bool stands_in_expressions(const Declaration& operation) {
  return operation.kind == RuleKind::apply || operation.kind == RuleKind::regrid ||
         operation.kind == RuleKind::lag;
}

}  // namespace pileus::planning
