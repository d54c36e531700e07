#include "analytics/builtin_catalogue.h"

namespace pileus {
namespace {

const std::vector<std::string> kReductions = {"sum", "mean", "min", "max"};

Declaration localreduce() {
  return {"localreduce",
          "Reduces a field over the dimensions that each server's ranks hold of it.",
          {{"operator", ParameterKind::word, true, "", kReductions, "what is taken: sum, mean, min or max"},
           {"field", ParameterKind::name, true, "", {}, "the field or result that is reduced"},
           {"dimensions",
            ParameterKind::names,
            false,
            "",
            {},
            "over which dimensions; all of them when left out"}}};
}

Declaration arithmetic() {
  return {"arithmetic",
          "Computes an equation element by element in double precision; dimensions match by name.",
          {{"equation",
            ParameterKind::expression,
            true,
            "",
            {},
            "numbers, fields, {options}, + - * / ^ and ( )"}}};
}

Declaration reduction() {
  return {"reduction",
          "Reduces over all model ranks and servers; one server, the root, has the result.",
          {{"operator", ParameterKind::word, true, "", kReductions, "what is taken: sum, mean, min or max"},
           {"field", ParameterKind::name, true, "", {}, "the field or result that is reduced"},
           {"root", ParameterKind::server, false, "auto", {}, "the server that gets the result, or auto"}}};
}

}  // namespace

Catalogue builtin_catalogue() {
  return {
      {arithmetic(), localreduce()},
      {reduction()},
      {{"averaged", "Mean over each output period, weighted by the time that each sample stands for.", {}},
       {"instantaneous", "The first sample at or after each output time.", {}},
       {"none", "Every sample.", {}}}};
}

}  // namespace pileus
