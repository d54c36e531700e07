#pragma once
// pileus help: prints, from the declarations, what a configuration may use.

#include <string>
#include <vector>

namespace pileus::apps {

/// Prints every operator, communication and time manipulation. `as_markdown`: in the form of
/// docs/operators.md.
int help_operators(bool as_markdown);
/// Prints every function and reduction of expressions.
int help_expression();
/// Prints the operators, functions and reductions of this name. Status: 1 if there is none.
int help_operator(const std::string& name);

/// Prints every element with its attributes. `as_markdown`: in the form of docs/configuration-reference.md.
int help_configuration(bool as_markdown);
/// Prints the elements of this name, wherever they may stand. Status: 1 if there is none.
int help_element(const std::string& name);

/// Prints the XML schema of configurations, with the operators of these libraries. Status: 2 if a library
/// cannot be loaded.
int schema(const std::vector<std::string>& operator_libraries);

}  // namespace pileus::apps
