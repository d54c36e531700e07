#pragma once
// Helpers of this room's tests: a small catalogue, and reading with all findings.

#include <map>
#include <string>

#include "config/read_config.h"

namespace pileus::testing {

inline Catalogue small_catalogue() {
  const std::vector<std::string> reductions = {"sum", "mean", "min", "max"};
  Catalogue catalogue;
  catalogue.operators = {
      {"localreduce",
       "reduces what this server holds",
       {{"operator", ParameterKind::word, true, "", reductions, "how"},
        {"field", ParameterKind::name, true, "", {}, "what is reduced"},
        {"dimensions", ParameterKind::names, false, "", {}, "which dimensions; all where it is missing"}}},
      {"arithmetic",
       "computes an equation",
       {{"equation", ParameterKind::expression, true, "", {}, "the equation"}}},
      {"threshold", "counts what is above", {{"above", ParameterKind::number, true, "", {}, "the bound"}}}};
  catalogue.communications = {
      {"reduction",
       "brings partial values together at one server",
       {{"operator", ParameterKind::word, true, "", reductions, "how"},
        {"field", ParameterKind::name, true, "", {}, "what is reduced"},
        {"root", ParameterKind::server, false, "auto", {}, "which server gets the value"}}}};
  return catalogue;
}

struct ReadResult {
  Config config;
  Findings findings;
  std::string text() const { return findings.text(); }
};

inline ReadResult read(std::string_view text, const std::map<std::string, std::string>& options = {},
                       bool allow_missing_options = false) {
  ReadResult result;
  result.config =
      read_config(text, "io.xml", small_catalogue(), options, result.findings, allow_missing_options);
  return result;
}

}  // namespace pileus::testing
