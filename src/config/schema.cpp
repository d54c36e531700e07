#include "config/schema.h"

namespace pileus {
namespace {

using Kind = ValueKind;
constexpr bool kRequired = true;
constexpr bool kOptional = false;

AttributeSchema attribute(std::string name, Kind kind, bool is_required, std::string help) {
  return {std::move(name), kind, is_required, "", std::move(help)};
}

AttributeSchema flag(std::string name, std::string help) {
  return {std::move(name), Kind::boolean, kOptional, "false", std::move(help)};
}

AttributeSchema word(std::string name, std::string default_value, std::vector<std::string> words,
                     std::string help) {
  return {std::move(name),          Kind::word,      kOptional,
          std::move(default_value), std::move(help), std::move(words)};
}

/// What fields and diagnostics have in common after their name.
std::vector<AttributeSchema> described(AttributeSchema name, std::vector<std::string> types,
                                       std::vector<std::string> data_types,
                                       std::vector<AttributeSchema> own = {}) {
  std::vector<AttributeSchema> all = {
      std::move(name),
      word("type", "", std::move(types), "follows from size where that is given"),
      word("data_type", "double", std::move(data_types), "type of the values"),
      attribute("size", Kind::names, kOptional,
                "names of the dimensions, fastest first, for example \"z,y,x\""),
  };
  for (AttributeSchema& one : own) all.push_back(std::move(one));
  all.push_back(
      attribute("units", Kind::text, kOptional, "units as UDUNITS writes them, for example \"kg m-2\""));
  all.push_back(attribute("standard_name", Kind::text, kOptional, "name in the CF standard name table"));
  all.push_back(
      attribute("long_name", Kind::text, kOptional, "name for people; the name itself where it is missing"));
  return all;
}

std::vector<ElementSchema> sections() {
  return {
      {"io-configuration", "", "the root", {}},
      {"server-configuration", "io-configuration", "how the servers run", {}, true},
      {"data-definition",
       "io-configuration",
       "fields that the model hands over together",
       {attribute("name", Kind::name, kRequired, "name of this group of fields"),
        attribute("frequency", Kind::integer, kRequired, "model steps between two hand-overs")},
       false,
       true},
      {"data-handling", "io-configuration", "what is computed from the fields", {}},
      {"group",
       "io-configuration",
       "fields that are written together",
       {attribute("name", Kind::name, kRequired, "name of the group, for include")},
       false,
       true},
      {"data-writing", "io-configuration", "the files that are written", {}},
  };
}

std::vector<ElementSchema> inner_elements() {
  const char* result = "name of the value that this rule makes";
  return {
      {"servers",
       "server-configuration",
       "which ranks of the model's program serve; give one of the attributes",
       {attribute("ratio", Kind::integer, kOptional, "one server for at most so many model ranks"),
        attribute("per_node", Kind::integer, kOptional, "servers on every node"),
        attribute("total", Kind::integer, kOptional, "servers altogether")},
       true},
      {"thread_pool",
       "server-configuration",
       "the workers of a server",
       {attribute("number", Kind::integer, kRequired, "number of workers")},
       true},
      {"memory",
       "server-configuration",
       "the memory of a server",
       {attribute("budget", Kind::bytes, kRequired, "bytes for each server, for example \"2 GiB\"")},
       true},
      {"field", "data-definition", "one field of the model",
       described(attribute("name", Kind::name, kRequired, "name of the field in the model"),
                 {"scalar", "array", "map"}, {"double", "float", "integer", "boolean", "string"},
                 {flag("collective", "each model rank holds a part of the field"),
                  flag("optional", "the model may do without this field")})},
      {"diagnostic", "data-handling", "a result made by operators and communications",
       described(attribute("field", Kind::name, kRequired, "name of the result"), {"scalar", "array"},
                 {"double", "float", "integer"}),
       false, true},
      {"operator",
       "diagnostic",
       "a rule that each server applies to what it holds",
       {attribute("name", Kind::text, kRequired, "which operator"),
        attribute("result", Kind::name, kRequired, result)}},
      {"communication",
       "diagnostic",
       "a rule that brings the values of all servers together",
       {attribute("name", Kind::text, kRequired, "which communication"),
        attribute("result", Kind::name, kRequired, result)}},
      {"member",
       "group",
       "one field of the group",
       {attribute("name", Kind::name, kRequired, "name of the field")}},
      {"file",
       "data-writing",
       "one output file for each write period",
       {attribute("name", Kind::file_name, kRequired, "name of the file"),
        attribute("write_time_frequency", Kind::seconds, kRequired, "model time that one file covers, in s"),
        attribute("title", Kind::text, kOptional, "title in the file")},
       false,
       true},
      {"include",
       "file",
       "one field or group that the file holds",
       {attribute("field", Kind::name, kOptional, "name of a field or diagnostic; this or group"),
        attribute("group", Kind::name, kOptional, "name of a group; this or field"),
        word("time_manipulation", "instantaneous", {"instantaneous", "averaged", "none"},
             "what is done in time"),
        attribute("output_frequency", Kind::seconds, kOptional, "model time between two values, in s")}},
  };
}

ValueKind kind_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::text: return Kind::text;
    case ParameterKind::word: return Kind::word;
    case ParameterKind::number: return Kind::number;
    case ParameterKind::name: return Kind::name;
    case ParameterKind::names: return Kind::names;
    case ParameterKind::expression: return Kind::expression;
    case ParameterKind::server: return Kind::server;
  }
  return Kind::text;
}

}  // namespace

const AttributeSchema* ElementSchema::find(std::string_view attribute) const {
  for (const AttributeSchema& one : attributes) {
    if (one.name == attribute) return &one;
  }
  return nullptr;
}

std::vector<std::string> ElementSchema::attribute_names() const {
  std::vector<std::string> names;
  for (const AttributeSchema& one : attributes) names.push_back(one.name);
  return names;
}

const std::vector<ElementSchema>& configuration_schema() {
  static const std::vector<ElementSchema> table = [] {
    std::vector<ElementSchema> all = sections();
    for (ElementSchema& element : inner_elements()) all.push_back(std::move(element));
    return all;
  }();
  return table;
}

const ElementSchema* find_schema(std::string_view parent, std::string_view name) {
  for (const ElementSchema& element : configuration_schema()) {
    if (element.name == name && element.parent == parent) return &element;
  }
  return nullptr;
}

std::vector<std::string> child_names(std::string_view parent) {
  std::vector<std::string> names;
  for (const ElementSchema& element : configuration_schema()) {
    if (element.parent == parent) names.push_back(element.name);
  }
  return names;
}

ElementSchema with_parameters(const ElementSchema& rule, const Declaration& declaration) {
  ElementSchema schema = rule;
  for (const ParameterDeclaration& parameter : declaration.parameters) {
    schema.attributes.push_back({parameter.name, kind_of(parameter.kind), parameter.required,
                                 parameter.default_value, parameter.help, parameter.words});
  }
  return schema;
}

}  // namespace pileus
