#include "config/element_reader.h"

#include <algorithm>
#include <utility>

#include "config/messages.h"
#include "config/value_check.h"
#include "config/values.h"

namespace pileus {
namespace {

bool names_the_element(const ElementSchema& schema) {
  if (schema.attributes.empty() || !schema.attributes.front().is_required) return false;
  const std::string& first = schema.attributes.front().name;
  return first == "name" || first == "field";
}

std::string label_of(const XmlElement& element, const ElementSchema& schema) {
  if (!names_the_element(schema)) return schema.name;
  const XmlAttribute* name = element.find(schema.attributes.front().name);
  return name ? schema.name + " " + in_quotes(trimmed(name->value)) : schema.name;
}

/// Where an element belongs, for one that stands in the wrong place.
std::string home_of(std::string_view name) {
  std::vector<std::string> parents;
  for (const ElementSchema& element : configuration_schema()) {
    if (element.name == name && !element.parent.empty()) parents.push_back("<" + parent_name(element) + ">");
  }
  return listed(parents);
}

}  // namespace

ElementReader::ElementReader(Reading& reading, const XmlElement& element, const ElementSchema& schema)
    : reading_(reading), element_(element), schema_(schema), label_(label_of(element, schema)) {
  for (const XmlAttribute& attribute : element_.attributes) read_attribute(attribute);
  if (has_value_as_text()) {
    const XmlText& text = element_.texts.front();
    values_[schema_.text] = read_value({schema_.text, text.text, text.at, text.at, text.text.size()},
                                       *schema_.find(schema_.text));
  }
  report_missing_attributes();
  report_misplaced_children();
  report_text();
}

void ElementReader::read_attribute(const XmlAttribute& attribute) {
  if (const AttributeSchema* known = schema_.find(attribute.name)) {
    values_[attribute.name] = read_value(attribute, *known);
    return;
  }
  const std::vector<std::string> names = schema_.attribute_names();
  const bool is_rule = schema_.parent == "diagnostic" && schema_.name != kAttributeElement;
  error(reading_.document->where(attribute.name_at), "unknown attribute " + in_quotes(attribute.name) +
                                                         " of " + (is_rule ? label_ : schema_.name) +
                                                         suggestion_or_known(attribute.name, names));
  misspelt_.push_back(nearest(shortened(attribute.name), names));
}

ElementReader::Value ElementReader::read_value(const XmlAttribute& attribute,
                                               const AttributeSchema& schema) const {
  const XmlDocument& document = *reading_.document;
  const bool is_file_name = schema.kind == ValueKind::file_name;
  const Substituted value = substitute(attribute.value, reading_.options, reading_.allow_missing_options,
                                       is_file_name ? period_keys() : std::span<const std::string>(),
                                       schema.kind == ValueKind::expression);
  std::map<std::string, bool>* used = reading_.options_used;
  for (std::size_t i = 0; used && i < value.keys.size(); ++i) used->try_emplace(value.keys[i], false);
  for (const SubstitutionProblem& problem : value.problems) {
    // A missing option is reported once, even if it is used in many places.
    if (used && !problem.missing_key.empty() && std::exchange((*used)[problem.missing_key], true)) continue;
    error(document.where_in_value(attribute, problem.at), problem.what);
  }
  const std::size_t first = std::min(attribute.value.find_first_not_of(" \t\r\n"), attribute.value.size());
  const bool is_blank = first == attribute.value.size();

  Value out;
  out.text = {std::string(trimmed(value.text)), document.where_in_value(attribute, is_blank ? 0 : first)};
  const bool is_list = schema.kind == ValueKind::names || schema.kind == ValueKind::order ||
                       schema.kind == ValueKind::references;
  if (is_list) read_items(attribute, value, first, out);
  if (value.is_open) return out;
  const std::string problem = value_problem(out.text.value, schema);
  if (problem.empty()) {
    out.is_usable = true;
  } else {
    error(out.text.where, schema.name + "=" + in_quotes(out.text.value) + ": " + problem);
    if (!schema.words.empty()) out.text.value = schema.default_value;
  }
  return out;
}

void ElementReader::read_items(const XmlAttribute& attribute, const Substituted& value, std::size_t first,
                               Value& out) const {
  // A list that is longer than any may be is reported as a whole.
  std::vector<ListItem> items = split_list(value.text);
  items.resize(std::min(items.size(), kMostListed));
  for (ListItem& item : items) {
    const std::size_t index = value.is_changed ? first : item.at;
    out.items.push_back({std::move(item.text), reading_.document->where_in_value(attribute, index)});
  }
}

void ElementReader::report_missing_attributes() const {
  for (const AttributeSchema& attribute : schema_.attributes) {
    const bool is_misspelt = std::find(misspelt_.begin(), misspelt_.end(), attribute.name) != misspelt_.end();
    if (!attribute.is_required || is_given(attribute.name) || is_misspelt) continue;
    std::string help = attribute.help.empty() ? "" : " (" + attribute.help + ")";
    error(where(), label_ + " needs the attribute " + in_quotes(attribute.name) + help);
  }
}

void ElementReader::report_misplaced_children() const {
  const std::vector<std::string> known = child_names(schema_);
  std::map<std::string_view, const XmlElement*> first;
  for (const XmlElement& child : element_.children) {
    const Location where = reading_.document->where(child.at);
    const ElementSchema* schema = find_schema(schema_, child.name);
    const auto [place, is_first] = first.emplace(child.name, &child);
    if (schema && schema->is_unique && !is_first) {
      error(where, "a second <" + child.name + "> in " + label_ + "; the first is at " +
                       reading_.document->where(place->second->at).text());
    } else if (!schema && !home_of(child.name).empty()) {
      error(where,
            "<" + child.name + "> cannot stand in " + label_ + "; it belongs in " + home_of(child.name));
    } else if (!schema) {
      error(where, "unknown element " + in_quotes(child.name) + " in " + label_ +
                       suggestion_or_known(child.name, known));
    }
  }
  // If the element broke off, the missing part may have come later.
  const bool has_text = !schema_.text.empty() && (is_given(schema_.text) || !element_.texts.empty());
  const bool has_content = std::ranges::any_of(
      element_.children, [](const XmlElement& child) { return child.name != kAttributeElement; });
  if (!schema_.needs_child || has_content || has_text || !element_.is_complete) return;
  std::vector<std::string> wanted;
  for (const std::string& name : content_names(schema_)) wanted.push_back("<" + name + ">");
  const std::string or_text = schema_.text.empty() ? "" : ", or the attribute " + in_quotes(schema_.text);
  error(where(), label_ + " is empty; it needs at least one " + listed(wanted) + or_text);
}

bool ElementReader::has_value_as_text() const {
  return !schema_.text.empty() && element_.texts.size() == 1 && !is_given(schema_.text);
}

void ElementReader::report_text() const {
  if (has_value_as_text()) return;
  for (const XmlText& text : element_.texts) {
    std::string line = text.text;
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    error(reading_.document->where(text.at), "text " + in_quotes(line) + " in " + label_ +
                                                 ", where only elements may stand; "
                                                 "remove it or write it as a comment: <!-- ... -->");
  }
}

bool ElementReader::was_misspelt(std::string_view attribute) const {
  return std::find(misspelt_.begin(), misspelt_.end(), attribute) != misspelt_.end();
}

bool ElementReader::is_usable(std::string_view attribute) const {
  const auto value = values_.find(attribute);
  return value != values_.end() && value->second.is_usable;
}

Text ElementReader::text(std::string_view attribute) const {
  if (const auto value = values_.find(attribute); value != values_.end()) return value->second.text;
  const AttributeSchema* schema = schema_.find(attribute);
  return {schema ? schema->default_value : "", {reading_.document->source().file_name()}};
}

std::vector<Text> ElementReader::names(std::string_view attribute) const {
  const auto value = values_.find(attribute);
  return value == values_.end() ? std::vector<Text>() : value->second.items;
}

std::optional<std::int64_t> ElementReader::integer(std::string_view attribute, std::int64_t smallest) const {
  return is_usable(attribute) ? parse_integer(text(attribute).value, smallest) : std::nullopt;
}

std::optional<double> ElementReader::number(std::string_view attribute) const {
  return is_usable(attribute) ? parse_number(text(attribute).value) : std::nullopt;
}

std::optional<std::int64_t> ElementReader::bytes(std::string_view attribute) const {
  return is_usable(attribute) ? parse_bytes(text(attribute).value) : std::nullopt;
}

std::optional<Duration> ElementReader::duration(std::string_view attribute) const {
  std::optional<Duration> out = is_usable(attribute) ? parse_duration(text(attribute).value) : std::nullopt;
  if (out) out->where = text(attribute).where;
  return out;
}

Cadence ElementReader::cadence(std::string_view attribute) const {
  if (!is_usable(attribute)) return {};
  const std::string& value = text(attribute).value;
  if (const auto steps = parse_integer(value, 0)) return *steps;
  const auto every = parse_duration(value);
  return every ? Cadence::of_time(every->seconds) : Cadence();
}

bool ElementReader::boolean(std::string_view attribute) const {
  return is_usable(attribute) && parse_boolean(text(attribute).value).value_or(false);
}

std::vector<ElementReader> ElementReader::children(std::string_view name) const {
  std::vector<ElementReader> found;
  const ElementSchema* schema = find_schema(schema_, name);
  for (const XmlElement& child : element_.children) {
    if (schema && child.name == name) found.emplace_back(reading_, child, *schema);
  }
  return found;
}

}  // namespace pileus
