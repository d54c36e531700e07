#include "layout/attributes.h"

#include <algorithm>
#include <limits>
#include <set>

#include "config/values.h"
#include "core/suggest.h"

namespace pileus::planning {
namespace {

using Numbers = AttributeNumbers;

bool is_whole(ElementType type) { return is_integer(type) || type == ElementType::boolean; }

/// The smallest and the largest number of an integer type.
std::pair<std::int64_t, std::int64_t> range_of(ElementType type) {
  if (type == ElementType::boolean) return {-127, 127};
  if (type == ElementType::int32) {
    using Limits = std::numeric_limits<std::int32_t>;
    return {Limits::min(), Limits::max()};
  }
  using Limits = std::numeric_limits<std::int64_t>;
  return {Limits::min(), Limits::max()};
}

bool fits(double value, ElementType type) {
  return type == ElementType::float64 || std::abs(value) <= std::numeric_limits<float>::max();
}

/// The numbers in the type; nothing if the type does not have them.
std::optional<Numbers> numbers(const Text& value, ElementType type) {
  Numbers out{type, {}, {}};
  const auto [smallest, largest] = range_of(type);
  for (const ListItem& item : split_list(value.value)) {
    if (is_whole(type)) {
      const auto number = parse_signed(item.text);
      if (!number || *number < smallest || *number > largest) return {};
      out.integers.push_back(*number);
    } else {
      const auto number = parse_number(item.text);
      if (!number || !fits(*number, type)) return {};
      out.reals.push_back(*number);
    }
  }
  return out;
}

bool are_all(const Text& value, ElementType type) { return numbers(value, type).has_value(); }

/// The value of an attribute; nothing if the type does not have its numbers. `of_variable`: the type of the
/// variable.
std::optional<AttributeValue> value_of(const AttributeConfig& attribute, ElementType of_variable) {
  const Text& value = attribute.value;
  ElementType type = of_variable;
  switch (attribute.type) {
    case AttributeType::text: return value.value;
    case AttributeType::integer:
      type = are_all(value, ElementType::int32) ? ElementType::int32 : ElementType::int64;
      break;
    case AttributeType::float64: type = ElementType::float64; break;
    case AttributeType::float32: type = ElementType::float32; break;
    case AttributeType::as_variable:
      if (!is_number(type)) return {};
      break;
  }
  if (std::optional<Numbers> found = numbers(value, type)) return std::move(*found);
  return {};
}

void set(std::vector<Attribute>& attributes, const std::string& name, AttributeValue value) {
  const auto known = std::ranges::find(attributes, name, &Attribute::name);
  if (known == attributes.end()) {
    attributes.push_back({name, std::move(value)});
  } else {
    known->value = std::move(value);
  }
}

const std::vector<AttributeConfig>& attributes_of(const Draft& draft, const Entry& entry) {
  return entry.diagnostic ? draft.graph.config->diagnostics[*entry.diagnostic].metadata.attributes
                          : draft.graph.nodes[entry.node].field->metadata.attributes;
}

const AttributeConfig* find(const std::vector<AttributeConfig>& attributes, std::string_view name) {
  const auto found = std::ranges::find_if(
      attributes, [&](const AttributeConfig& attribute) { return attribute.name.value == name; });
  return found == attributes.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Attribute> attributes_of_file(const Config& config, const FileConfig& file) {
  std::vector<Attribute> out;
  for (const auto* all : {&config.attributes, &file.attributes}) {
    for (const AttributeConfig& attribute : *all) {
      auto value = value_of(attribute, ElementType::float64);
      if (value) set(out, attribute.name.value, std::move(*value));
    }
  }
  return out;
}

std::vector<Attribute> attributes_of_mapping(const MappingConfig& mapping) {
  std::vector<Attribute> out = {{"grid_mapping_name", mapping.kind.value}};
  for (const AttributeConfig& parameter : mapping.parameters) {
    auto value = value_of(parameter, ElementType::float64);
    if (value) set(out, parameter.name.value, std::move(*value));
  }
  return out;
}

void add_attributes(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings) {
  for (const auto* all : {&attributes_of(draft, entry), &entry.include->attributes}) {
    for (const AttributeConfig& attribute : *all) {
      auto value = value_of(attribute, variable.type);
      if (value) {
        set(variable.attributes, attribute.name.value, std::move(*value));
        continue;
      }
      report(findings, attribute.value.where,
             "attribute " + quoted(attribute.name.value) + " of " + quoted(entry.name.value) +
                 " has the type " + quoted(std::string(name(variable.type))) +
                 " of its variable, which has no such numbers");
    }
  }
}

void check_named_variables(const Draft& draft, const std::vector<const Entry*>& entries,
                           const std::vector<std::string>& names, Findings& findings) {
  const std::set<std::string> known(names.begin(), names.end());
  for (const Entry* entry : entries) {
    for (const char* attribute : {"coordinates", "ancillary_variables"}) {
      const AttributeConfig* said = find(entry->include->attributes, attribute);
      if (!said) said = find(attributes_of(draft, *entry), attribute);
      if (!said) continue;
      const std::string& file = draft.graph.config->files[entry->file].name.value;
      for (const std::string& name : split_words(said->value.value)) {
        if (known.contains(name)) continue;
        report(findings, said->value.where,
               std::string(attribute) + " of " + quoted(entry->name.value) + ": file " + quoted(file) +
                   " has no variable " + quoted(name) + did_you_mean(name, names));
        break;  // the others are reported when this one is right
      }
    }
  }
}

}  // namespace pileus::planning
