#include "apps/help.h"

#include <cctype>
#include <iostream>
#include <utility>

#include "analytics/operators/list.h"
#include "apps/attribute_table.h"
#include "config/forms/xml_schema.h"
#include "config/messages.h"
#include "core/clock_values.h"
#include "core/error.h"
#include "core/suggest.h"
#include "expression/expression_words.h"

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
    case ParameterKind::numbers: return "numbers, or file:PATH";
    case ParameterKind::table: return "file:PATH";
  }
  std::string words;
  for (const std::string& word : parameter.words) words += (words.empty() ? "" : ", ") + word;
  return words;
}

void print(const Declaration& one, bool as_markdown) {
  std::vector<AttributeRow> rows;
  for (const ParameterDeclaration& parameter : one.parameters)
    rows.push_back({parameter.name, form_of(parameter),
                    parameter.required ? "required" : parameter.default_value, parameter.help});
  std::cout << (as_markdown ? "\n### " : "\n  ") << one.name << "\n"
            << (as_markdown ? "\n" : "    ") << one.help << "\n"
            << attribute_table(rows, as_markdown, "    ");
}

void print(const std::string& title, const std::vector<Declaration>& declarations, bool as_markdown) {
  std::cout << (as_markdown ? "\n## " : "\n") << title << "\n";
  for (const Declaration& one : declarations) print(one, as_markdown);
}

struct Word {
  std::string kind, word, written, help;
};

std::vector<Word> words_of_expressions() {
  std::vector<Word> all;
  const auto add = [&](const std::string& kind, const auto& words) {
    for (const auto& one : words)
      all.push_back({kind, std::string(one.word), std::string(one.written), std::string(one.help)});
  };
  add("function of equations and expressions", planning::expression_functions());
  for (const ClockDeclaration& one : kClockValues) {
    const std::string units = one.units == "1" ? "" : ", in " + std::string(one.units);
    all.push_back(
        {"value of the clock", std::string(one.word), std::string(one.word), std::string(one.help) + units});
  }
  add("reduction of expressions", planning::expression_reductions());
  return all;
}

/// "Functions of ..."
std::string title_of(std::string kind) {
  kind[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(kind[0])));
  return kind.insert(kind.find(' '), "s");
}

void print_words(bool as_markdown) {
  std::string kind;
  for (const Word& one : words_of_expressions()) {
    if (std::exchange(kind, one.kind) != one.kind) {
      std::cout << (as_markdown ? "\n## " : "\n") << title_of(kind) << "\n"
                << (as_markdown ? "\n| written | means |\n|---|---|\n" : "");
    }
    std::cout << (as_markdown ? "| `" + one.written + "` | " + one.help + " |\n"
                              : "  " + one.written + ": " + one.help + "\n");
  }
  std::cout
      << "\nDimensions stand in brackets; without brackets all are reduced. A condition behind a bar lets "
         "values through:\n" +
             std::string(as_markdown ? "`mean[y,x](w | w > 0)`.\n" : "mean[y,x](w | w > 0)\n");
}

std::vector<Declaration> manipulations_of(const Catalogue& catalogue) {
  std::vector<Declaration> declarations;
  for (const Manipulation& one : catalogue.time_manipulations)
    declarations.push_back({one->name, one->help, {}});
  return declarations;
}

/// What kind of thing each of them is.
std::vector<std::pair<std::string, std::vector<Declaration>>> kinds_of(const Catalogue& catalogue) {
  return {{"operator", catalogue.operators},
          {"communication", catalogue.communications},
          {"time manipulation", manipulations_of(catalogue)}};
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
  print("Time manipulations", manipulations_of(catalogue), as_markdown);
  print_words(as_markdown);
  return 0;
}

int help_expression() {
  print_words(false);
  return 0;
}

int help_operator(const std::string& name) {
  std::vector<std::string> names;
  bool is_known = false;
  for (const auto& [kind, declarations] : kinds_of(builtin_catalogue())) {
    for (const Declaration& one : declarations) {
      names.push_back(one.name);
      if (one.name != name) continue;
      std::cout << (is_known ? "\n" : "") << kind;
      print(one, false);
      is_known = true;
    }
  }
  for (const Word& one : words_of_expressions()) {
    names.push_back(one.word);
    if (one.word != name) continue;
    std::cout << (is_known ? "\n" : "") << one.kind << "\n  " << one.written << "\n    " << one.help << "\n";
    is_known = true;
  }
  if (is_known) return 0;
  std::cerr << "no operator, communication, time manipulation or function " << in_quotes(name)
            << suggestion(name, names) << "\npileus help operators lists them\n";
  return 1;
}

int schema(const std::vector<std::string>& operator_libraries) {
  Catalogue catalogue = builtin_catalogue();
  try {
    for (const std::string& library : operator_libraries) {
      for (Declaration& one : catalogue.load_operators(library))
        catalogue.operators.push_back(std::move(one));
    }
  } catch (const PluginError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  std::cout << xml_schema(catalogue);
  return 0;
}

}  // namespace pileus::apps
