// paired: a field where another one has values too. Two of these make the pairs that a covariance in time
// counts (config/read_config.cpp).

#include "core/missing.h"
#include "pileus/operator.hpp"

namespace pileus::operators {
namespace {

/// The number that elements without a value hold.
std::optional<double> missing_in(const Quantity& one) {
  if (!one.missing) return {};
  return as_stored(*one.missing, static_cast<ElementType>(one.type));
}

Prepared prepare_paired(const Rule& rule) {
  const Quantity &field = rule.input("field"), &other = rule.input("with");
  const auto names = [](const Quantity& one) {
    std::string all;
    for (const Dimension& dimension : one.dimensions) all += (all.empty() ? "" : ",") + dimension.name;
    return all;
  };
  if (names(field) != names(other))
    throw ParameterError("with", "\"" + other.name + "\" lies on [" + names(other) + "] and \"" + field.name +
                                     "\" on [" + names(field) + "]: pairs are of the same dimensions");
  Prepared prepared;
  prepared.result = {"", Type::float64, field.dimensions};
  if (field.missing || other.missing) prepared.result.missing = kMissing;
  const bool takes_other = rule.text("take") == "with";
  prepared.compute = [takes_other, missing = missing_in(field), other_missing = missing_in(other)](
                         const std::vector<Part>& inputs, const ResultPart& result) {
    const auto paired = result.as<double>();
    for (std::size_t i = 0; i < paired.size(); ++i) {
      const double value = inputs[0].number(static_cast<Index>(i));
      const double other = inputs[1].number(static_cast<Index>(i));
      paired[i] = value == missing || other == other_missing ? kMissing : takes_other ? other : value;
    }
  };
  return prepared;
}

}  // namespace

Operator paired() {
  Operator declared = {"paired",
                       "A field where another one has values too.",
                       {{"field", ParameterKind::name, true, "", {}, "the field or result"},
                        {"with", ParameterKind::name, true, "", {}, "the other one, of the same dimensions"},
                        {"take",
                         ParameterKind::word,
                         false,
                         "field",
                         {"field", "with"},
                         "whose values these are; they lie as the first one does"}},
                       prepare_paired};
  declared.knows_missing = true;
  return declared;
}

}  // namespace pileus::operators
