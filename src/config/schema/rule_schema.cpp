// What the declaration of an operator or communication adds to the table.

#include <utility>

#include "config/schema/schema.h"

namespace pileus {
namespace {

ValueKind kind_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::text: return ValueKind::text;
    case ParameterKind::word: return ValueKind::word;
    case ParameterKind::number: return ValueKind::number;
    case ParameterKind::whole_number: return ValueKind::count;
    case ParameterKind::whole_numbers: return ValueKind::counts;
    case ParameterKind::name: return ValueKind::reference;
    case ParameterKind::names: return ValueKind::names;
    case ParameterKind::expression: return ValueKind::expression;
    case ParameterKind::server: return ValueKind::server;
    case ParameterKind::numbers: return ValueKind::numbers;
    case ParameterKind::table: return ValueKind::table;
  }
  return ValueKind::text;
}

}  // namespace

ElementSchema with_parameters(const ElementSchema& rule, const Declaration& declaration) {
  ElementSchema schema = rule;
  for (const ParameterDeclaration& parameter : declaration.parameters) {
    schema.attributes.push_back({parameter.name, kind_of(parameter.kind), parameter.required,
                                 parameter.default_value, parameter.help, parameter.words});
  }
  return schema;
}

}  // namespace pileus
