#pragma once
// The functions and reductions that equations and expressions may use, each declared once: from here come the
// parser's tables, suggestions, pileus help and docs/operators.md.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/reduction.h"
#include "expression/program.h"

namespace pileus::planning {

/// Element by element, in equations, conditions and expressions.
struct ExpressionFunction {
  std::string_view word;
  std::string_view written;  ///< with its arguments
  std::string_view help;
  Operation operation;
  std::size_t arguments;    ///< at least so many if it takes more
  bool takes_more = false;  ///< and of one argument it is a reduction
};

/// Over dimensions, in expressions alone.
struct ExpressionReduction {
  std::string_view word;
  std::string_view written;
  std::string_view help;
  Reduction reduction = Reduction::sum;
  std::size_t arguments = 1;
};

std::span<const ExpressionFunction> expression_functions();
std::span<const ExpressionReduction> expression_reductions();
/// Null where there is none.
const ExpressionFunction* find_function(std::string_view word);
const ExpressionReduction* find_reduction(std::string_view word);

/// What `word`, which is no function, stands for: what others call it ("ln" is "log"), otherwise what is
/// nearest; "" where nothing is near. Reductions only where they may stand.
std::string function_meant(std::string_view word, bool with_reductions);
/// How one writes what others have a function `word` for and this language an operator or some steps:
/// "log(a) / log(10)" for log10; "" where there is no such way.
std::string_view written_otherwise(std::string_view word);
/// The operator of this language for what `text` begins with, if that is one of C, Fortran or Python that is
/// written otherwise here: {"&&", "and"}; both empty if not. Letter case does not count. Those of conditions
/// only where one may stand.
std::pair<std::string_view, std::string_view> foreign_operator(std::string_view text, bool may_compare);
/// All words, in alphabetical order.
std::vector<std::string> function_words(bool with_reductions);

/// What an equation may hold, in a line.
std::string what_equations_hold();

}  // namespace pileus::planning
