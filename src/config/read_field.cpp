#include "config/read_field.h"

#include <cmath>

#include "config/messages.h"
#include "config/namespaces.h"
#include "config/read_attributes.h"
#include "config/read_diagnostic.h"
#include "config/values.h"

namespace pileus {
namespace {

void read_parts(const ElementReader& field, FieldConfig& out) {
  out.parts = field.text("parts");
  if (!field.is_usable("parts")) return;
  const bool is_distributed = out.parts.value == "distributed";
  if (field.is_usable("collective") && out.is_collective != is_distributed) {
    field.error(out.parts.where, field.label() +
                                     " has collective=" + in_quotes(field.text("collective").value) +
                                     " and parts=" + in_quotes(out.parts.value) +
                                     ", which contradict each other; leave one of them out");
    out.parts.value.clear();
    return;
  }
  out.is_collective = is_distributed;
}

void read_missing_value(const ElementReader& field, FieldConfig& out) {
  out.missing_value = field.number("missing_value");
  if (!out.missing_value) return;
  out.missing_value_where = field.text("missing_value").where;
  if (out.data_type.value == "integer" && std::trunc(*out.missing_value) != *out.missing_value) {
    field.error(out.missing_value_where, field.label() + " holds whole numbers: none is its missing_value");
    out.missing_value.reset();
    return;
  }
  const bool is_number = out.data_type.value != "boolean" && out.data_type.value != "string";
  if (is_number && out.type.value != "map") return;
  field.error(out.missing_value_where, field.label() + " holds no numbers: it has no missing_value");
  out.missing_value.reset();
}

}  // namespace

FieldConfig read_field(const ElementReader& field) {
  FieldConfig out;
  read_description(field, out);
  out.name = field.text("name");
  out.is_collective = field.boolean("collective");
  out.is_optional = field.boolean("optional");
  out.is_static = field.boolean("static");
  out.is_held = field.boolean("hold");
  if (out.is_held && (out.is_static || out.is_optional))
    field.error(
        field.text("hold").where,
        field.label() + (out.is_static ? " is static: it holds in any case; remove hold"
                                       : " holds, so that steps may lack it in any case; remove optional"));
  out.grid = field.text("grid");
  out.pushdown = pushdown(field.text("pushdown").value);
  read_parts(field, out);
  read_missing_value(field, out);
  return out;
}

FieldConfig read_field_of_file(const ElementReader& field) {
  FieldConfig out = read_field(field);
  const auto refuse = [&](std::string_view attribute, const std::string& why) {
    if (field.is_given(attribute))
      field.error(field.text(attribute).where, field.label() + " is in files of another component: " + why);
  };
  refuse("missing_value", "these say what stands for no value; leave missing_value out");
  refuse("collective", "no model rank holds a part of it; leave collective out");
  refuse("hold", "their records say when it changes; leave hold out");
  refuse("parts", "no model rank holds a part of it; leave parts out");
  out.missing_value.reset();
  out.parts = {};
  if (out.data_type.value == "string" || out.type.value == "map") {
    const std::string_view where = out.data_type.value == "string" ? "data_type" : "type";
    refuse(where, "texts are not read from there");
    out.data_type = out.type = {};
  }
  out.is_collective = out.type.value != "scalar" && (!out.has_size || !out.size.empty());
  return out;
}

void read_origin(const ElementReader& data, DataGroupConfig& group) {
  const bool has_component = data.is_given("component"), has_file = data.is_given("file");
  if (has_component != has_file) {
    const char* const given = has_component ? "component" : "file";
    data.error(data.text(given).where, data.label() + " has the attribute " + in_quotes(given) + " alone; " +
                                           "fields that are in files of another component need both, "
                                           "component and file");
  }
  if (!data.is_usable("component")) return;
  group.component = data.text("component");
  group.file = data.text("file");  // "" if it is missing, which was reported
  if (!data.is_given("namespace")) group.scope = full_name(group.scope, group.component.value);
}

}  // namespace pileus
