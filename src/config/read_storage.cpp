#include "config/read_storage.h"

#include "config/messages.h"
#include "core/calendar.h"

namespace pileus {

StorageConfig read_storage(const ElementReader& element) {
  StorageConfig out;
  out.order = element.names("order");
  out.precision = element.text("precision");
  out.significant_bits = element.integer("significant_bits");
  out.deflate = element.integer("deflate", 0);
  if (element.is_usable("shuffle")) out.shuffle = element.boolean("shuffle");
  return out;
}

DimensionConfig read_dimension(const ElementReader& element) {
  DimensionConfig out;
  out.name = element.text("name");
  out.units = element.text("units");
  out.standard_name = element.text("standard_name");
  out.long_name = element.text("long_name");
  out.formula_terms = element.text("formula_terms");
  out.computed_standard_name = element.text("computed_standard_name");
  if (out.computed_standard_name.is_given() && !out.formula_terms.is_given() &&
      !element.was_misspelt("formula_terms"))
    element.error(out.computed_standard_name.where,
                  element.label() +
                      " has computed_standard_name without formula_terms, which it is computed "
                      "from: give both, or neither");
  out.axis = element.text("axis");
  out.positive = element.text("positive");
  out.has_bounds = element.boolean("bounds");
  out.bounds = element.text("bounds");
  out.where = element.where();
  if (out.positive.is_given() && out.axis.is_given() && out.axis.value != "Z") {
    element.error(out.positive.where, element.label() + " is the axis " + out.axis.value +
                                          "; only a vertical one (axis=\"Z\") is positive up or down");
  }
  return out;
}

TimeConfig read_time(const ElementReader& element) {
  const Duration end = element.duration("end").value_or(Duration{});
  if (end.months > 0)
    element.error(end.where,
                  "end in months: how long they are depends on the date; write days, such as \"30 d\"");
  TimeConfig out{element.text("calendar"), element.text("epoch"), end.seconds};
  if (!element.is_usable("calendar")) out.calendar = {};
  if (!element.is_usable("epoch")) out.epoch = {};
  if (!out.calendar.is_given() || !out.epoch.is_given()) return out;
  const std::string problem = date_problem(*parse_calendar(out.calendar.value), *parse_date(out.epoch.value));
  if (!problem.empty())
    element.error(out.epoch.where, "epoch=" + in_quotes(out.epoch.value) + ": " + problem);
  return out;
}

}  // namespace pileus
