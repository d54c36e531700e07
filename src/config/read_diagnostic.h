#pragma once
// Reads a <diagnostic> and its rules. The plan finds out which fields the rules mean.

#include <type_traits>

#include "config/read_attributes.h"
#include "config/read_storage.h"
#include "core/region.h"

namespace pileus {

/// Reports and leaves out rules whose operator or communication the catalogue does not know.
DiagnosticConfig read_diagnostic(Reading& reading, const ElementReader& diagnostic);

/// Reads the attributes that fields and diagnostics have in common.
template <class FieldOrDiagnostic>
void read_description(const ElementReader& element, FieldOrDiagnostic& out) {
  out.where = element.where();
  out.type = element.text("type");
  out.data_type = element.text("data_type");
  out.size = element.names("size");
  // Too many dimensions are reported elsewhere; the plan is checked with as many as an array can have.
  if (out.size.size() > kMaxRank) out.size.resize(kMaxRank);
  out.has_size = element.is_given("size");
  out.metadata = {element.text("units"), element.text("units_metadata"), element.text("standard_name"),
                  element.text("long_name"), element.text("grib")};
  constexpr bool is_field = std::is_same_v<FieldOrDiagnostic, FieldConfig>;
  out.metadata.attributes =
      read_attributes(element, is_field ? AttributeHome::field : AttributeHome::diagnostic);
  out.storage = read_storage(element);
  if (out.type.value == "map" && element.is_given("data_type") && out.data_type.value != "string") {
    element.error(out.data_type.where, element.label() + " is a map of texts; its data_type is string");
  }
  if (!element.is_usable("size")) return;
  if (out.type.value == "map" && out.size.size() == 1) return;
  const char* implied = out.size.empty() ? "scalar" : "array";
  if (!element.is_given("type")) out.type.value = implied;
  if (!element.is_usable("type") || out.type.value == implied) return;
  element.error(out.type.where, element.label() + " is of type " + out.type.value + ", but its size names " +
                                    std::to_string(out.size.size()) +
                                    " dimensions; leave one of the two out");
}

}  // namespace pileus
