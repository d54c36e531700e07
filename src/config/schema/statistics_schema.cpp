#include "config/schema/statistics_schema.h"

namespace pileus {

std::vector<ElementSchema> statistics_elements() {
  using Kind = ValueKind;
  const auto attribute = [](std::string name, Kind kind, bool is_required, std::string help) {
    return AttributeSchema{std::move(name), kind, is_required, "", std::move(help)};
  };
  return {
      {"condition",
       "data-handling",
       "a condition with a name: a diagnostic that is 1 where it holds",
       {attribute("name", Kind::name, true, "name of the condition"),
        attribute("expression", Kind::expression, false,
                  "what holds there, for example \"ql > 1e-5 and w > 0\"; or the text of the element"),
        attribute("long_name", Kind::text, false, "name for people; the expression otherwise")},
       false,
       false,
       "expression"},
      {"trigger",
       "data-handling",
       "what happens once something holds, or once the model sends a word; files are written while it is on",
       {attribute("name", Kind::name, true, "of the trigger, and of the variable with its condition"),
        attribute("when", Kind::expression, false,
                  "one number of the run that begins it, for example \"w_max > 30\"; this or event"),
        attribute("until", Kind::expression, false,
                  "what ends it, for example \"w_max < 20\"; it ends when \"when\" holds no more"
                  " otherwise"),
        attribute("event", Kind::text, false, "the word that the model sends by pileus_event; this or when"),
        attribute("lasts", Kind::duration, false, "model time that it lasts at least, and an event exactly"),
        attribute("at_most_every", Kind::duration, false,
                  "model time from one beginning to the next, at least"),
        attribute("command", Kind::text, false, "that runs when it begins, with its name behind it"),
        {"checkpoint", Kind::boolean, false, "false", "the model is asked for a checkpoint when it begins"},
        {"file", Kind::plain_file_name, false, "triggers.nc", "that has the conditions of every step"}}},
      {"statistics",
       "data-handling",
       "statistics of fields where conditions hold, each a diagnostic",
       {attribute("name", Kind::name, true, "of the group of all of them, for include"),
        attribute("dimensions", Kind::names, true, "that they are taken over, for example \"y,x\""),
        attribute("fields", Kind::references, false, "names of fields and diagnostics"),
        attribute("conditions", Kind::references, true, "names of conditions, masks or diagnostics"),
        attribute("of", Kind::references, false,
                  "which: fraction, mean, deviation, minimum, maximum, variance, standard_deviation, flux, "
                  "flux_within, flux_between; \"fraction,mean\" where it is missing"),
        attribute("flux_by", Kind::reference, false, "the field that carries the others, for example \"w\""),
        attribute("weight", Kind::expression, false,
                  "of each value, for example \"rho\"; fractions are then those of the mass")}}};
}

}  // namespace pileus
