#include "analytics/operators/arithmetic.h"

#include <memory>

#include "core/catalogue.h"
#include "expression/expression_words.h"

namespace pileus {
namespace operators {
Declaration arithmetic();
}

Declaration operators::arithmetic() {
  return {"arithmetic",
          "Computes an equation element by element in double precision; dimensions match by name.",
          {{"equation", ParameterKind::expression, true, "", {}, planning::what_equations_hold()}},
          RuleKind::arithmetic};
}

Array evaluate(const Program& program, const std::vector<AlignedInput>& inputs,
               const std::vector<Index>& extents) {
  const Region whole{std::vector<Index>(extents.size(), 0), extents};
  const Index size = whole.size();
  if (size == 0) return make_array({}, extents);
  const auto result = std::make_shared_for_overwrite<double[]>(static_cast<std::size_t>(size));
  BlockEvaluator(program, inputs, true).compute(whole, result.get());
  const auto* bytes = reinterpret_cast<const std::byte*>(result.get());
  return {ElementType::float64, extents, std::shared_ptr<const std::byte>(result, bytes)};
}

}  // namespace pileus
