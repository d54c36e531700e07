#pragma once
// pileus help: what a configuration may use, from the declarations.

#include <string>
#include <vector>

namespace pileus::apps {

/// Prints every operator, communication and time manipulation. `as_markdown`: as docs/operators.md has them.
int help_operators(bool as_markdown);
/// Prints every function and reduction of expressions.
int help_expression();
/// Prints those of this name, functions and reductions of expressions too. Status: 1 if there is none.
int help_operator(const std::string& name);

/// Prints every element with its attributes. `as_markdown`: as docs/configuration-reference.md has them.
int help_configuration(bool as_markdown);
/// Prints those of this name, wherever they may stand. Status: 1 if there is none.
int help_element(const std::string& name);

/// Prints the XML schema of configurations, with the operators of these libraries. Status: 2 if one of them
/// cannot be loaded.
int schema(const std::vector<std::string>& operator_libraries);

}  // namespace pileus::apps
