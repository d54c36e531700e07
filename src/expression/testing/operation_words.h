#pragma once
// Operations as texts of expressions have them, for tests that write a tree out again.

#include <string_view>

#include "expression/program.h"

namespace pileus::testing {

/// "+", "sqrt", "where"; "" for an operation that no text has, and for the sign of a number.
inline std::string_view word_of(Operation operation) {
  switch (operation) {
    case Operation::add: return "+";
    case Operation::subtract: return "-";
    case Operation::multiply: return "*";
    case Operation::divide: return "/";
    case Operation::modulo: return "%";
    case Operation::power: return "^";
    case Operation::less: return "<";
    case Operation::less_equal: return "<=";
    case Operation::equal: return "==";
    case Operation::not_equal: return "!=";
    case Operation::square_root: return "sqrt";
    case Operation::exponential: return "exp";
    case Operation::logarithm: return "log";
    case Operation::absolute: return "abs";
    case Operation::sine: return "sin";
    case Operation::cosine: return "cos";
    case Operation::minimum: return "min";
    case Operation::maximum: return "max";
    case Operation::select: return "where";
    default: break;
  }
  const FunctionDeclaration* const function = declared_function(operation);
  return function != nullptr ? function->word : "";
}

}  // namespace pileus::testing
