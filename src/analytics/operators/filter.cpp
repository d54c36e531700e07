// filter: a field where a condition holds; elsewhere its elements are missing, so that reductions and
// averages leave them out. The plan makes it part of an equation, and arithmetic computes it.

#include "analytics/operators/list.h"

namespace pileus {
namespace operators {
Declaration filter();
}

Declaration operators::filter() {
  return {"filter",
          "Keeps a field where a condition holds, in double precision; elsewhere it has no value, and "
          "reductions and averages leave it out.",
          {{"field", ParameterKind::name, true, "", {}, "the field or result that is kept"},
           {"condition",
            ParameterKind::expression,
            true,
            "",
            {},
            "comparisons of equations (lt le gt ge eq ne, or < <= > >= == != where XML lets them stand), "
            "joined by and, or, not"}},
          RuleKind::filter};
}

}  // namespace pileus
