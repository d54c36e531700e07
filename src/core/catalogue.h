#pragma once
// What operators, communications, time manipulations and file formats declare about themselves (architecture
// D12). From these declarations come validation, suggestions and the reference. The wiring hands the
// catalogue to config and plan.

#include <map>
#include <string>
#include <vector>

namespace pileus {

enum class ParameterKind {
  text,        ///< any text
  word,        ///< one of `words`
  number,      ///< a finite decimal number
  name,        ///< the name of one field or result: an input of the rule
  names,       ///< names of dimensions, separated by commas
  expression,  ///< an equation; the fields in it are inputs of the rule
  server       ///< "auto" or the number of a server
};

struct ParameterDeclaration {
  std::string name;
  ParameterKind kind = ParameterKind::text;
  bool required = true;
  std::string default_value;
  std::vector<std::string> words;  ///< what a `word` may be
  std::string help;                ///< one line, with units
};

/// One operator, communication, time manipulation or file format.
struct Declaration {
  std::string name;
  std::string help;  ///< one line
  std::vector<ParameterDeclaration> parameters;
};

struct Catalogue {
  std::vector<Declaration> operators;
  std::vector<Declaration> communications;
  std::vector<Declaration> time_manipulations;
};

/// Parameters by name, as written, after substitution; defaults filled in.
using Parameters = std::map<std::string, std::string>;

}  // namespace pileus
