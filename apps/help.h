#pragma once
// pileus help: what a configuration may use, from the declarations.

namespace pileus::apps {

/// Prints every operator, communication and time manipulation. `as_markdown`: as docs/operators.md has them.
int help_operators(bool as_markdown);

}  // namespace pileus::apps
