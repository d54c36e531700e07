#include "apps/help.h"

#include <iostream>

#include "analytics/operators/list.h"

namespace pileus::apps {
namespace {

std::string form_of(const ParameterDeclaration& parameter) {
  switch (parameter.kind) {
    case ParameterKind::text: return "text";
    case ParameterKind::word: break;
    case ParameterKind::number: return parameter.units.empty() ? "number" : "number, " + parameter.units;
    case ParameterKind::whole_number: return "whole number";
    case ParameterKind::whole_numbers: return "whole numbers";
    case ParameterKind::name: return "field or result";
    case ParameterKind::names: return "dimensions";
    case ParameterKind::expression: return "expression";
    case ParameterKind::server: return "auto or server";
  }
  std::string words;
  for (const std::string& word : parameter.words) words += (words.empty() ? "" : ", ") + word;
  return words;
}

std::string default_of(const ParameterDeclaration& parameter) {
  if (parameter.required) return "required";
  return parameter.default_value.empty() ? "" : parameter.default_value;
}

/// A `|` would end the cell.
std::string cell(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void print(const Declaration& one, bool as_markdown) {
  std::cout << (as_markdown ? "\n### " : "\n  ") << one.name << "\n"
            << (as_markdown ? "\n" : "    ") << one.help << "\n";
  if (one.parameters.empty()) return;
  if (as_markdown) std::cout << "\n| attribute | form | default | meaning |\n|---|---|---|---|\n";
  for (const ParameterDeclaration& parameter : one.parameters) {
    const std::string name = as_markdown ? "`" + parameter.name + "`" : parameter.name;
    if (as_markdown) {
      std::cout << "| " << name << " | " << cell(form_of(parameter)) << " | " << cell(default_of(parameter))
                << " | " << cell(parameter.help) << " |\n";
    } else {
      const std::string otherwise = default_of(parameter);
      std::cout << "    " << name << " (" << form_of(parameter) << (otherwise.empty() ? "" : "; " + otherwise)
                << "): " << parameter.help << "\n";
    }
  }
}

void print(const std::string& title, const std::vector<Declaration>& declarations, bool as_markdown) {
  std::cout << (as_markdown ? "\n## " : "\n") << title << "\n";
  for (const Declaration& one : declarations) print(one, as_markdown);
}

}  // namespace

int help_operators(bool as_markdown) {
  const Catalogue catalogue = builtin_catalogue();
  if (as_markdown) {
    std::cout << "# Operators, communications and time manipulations\n\n"
                 "Made by `pileus help operators --markdown` from what they declare of themselves; every "
                 "rule has a\n"
                 "`name` and a `result` besides. [Add an operator](add-an-operator.md) tells how to have one "
                 "of your\n"
                 "own, [configuration](configuration.md) what goes around them.\n";
  }
  print("Operators", catalogue.operators, as_markdown);
  print("Communications", catalogue.communications, as_markdown);
  print("Time manipulations", catalogue.time_manipulations, as_markdown);
  return 0;
}

}  // namespace pileus::apps
