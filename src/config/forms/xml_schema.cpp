#include "config/forms/xml_schema.h"

#include <algorithm>
#include <set>
#include <vector>

#include "config/forms/value_forms.h"

namespace pileus {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string documentation(const std::string& text) {
  return "<xs:annotation><xs:documentation>" + escaped(text) + "</xs:documentation></xs:annotation>";
}

/// An attribute of one element, put together from what several rules say about it.
struct SchemaAttribute {
  std::string name;
  bool is_required = false;
  std::string default_value, help;
  std::set<ValueKind> kinds;       ///< its value has any of these forms, without `word`
  std::vector<std::string> words;  ///< or one of these
};

SchemaAttribute described(const AttributeSchema& one) {
  SchemaAttribute out{one.name, one.is_required, one.default_value, one.help, {}, one.words};
  if (one.kind != ValueKind::word) out.kinds.insert(one.kind);
  return out;
}

/// Describes a parameter that only `rule` has.
SchemaAttribute described(const AttributeSchema& parameter, const std::string& rule) {
  SchemaAttribute out = described(parameter);
  out.help = rule + ": " + parameter.help;
  if (parameter.is_required) out.help += " (required)";
  if (!parameter.default_value.empty()) out.help += " (otherwise " + parameter.default_value + ")";
  out.is_required = false;
  out.default_value.clear();
  return out;
}

void add(SchemaAttribute attribute, std::vector<SchemaAttribute>& all) {
  const auto known = std::ranges::find(all, attribute.name, &SchemaAttribute::name);
  if (known == all.end()) {
    all.push_back(std::move(attribute));
    return;
  }
  known->help += "; " + attribute.help;
  known->kinds.merge(attribute.kinds);
  for (std::string& word : attribute.words) {
    if (std::ranges::find(known->words, word) == known->words.end()) known->words.push_back(std::move(word));
  }
}

/// Every type allows {key} in its values, as no pattern can tell what will replace it.
class SchemaWriter {
 public:
  explicit SchemaWriter(const Catalogue& catalogue) : catalogue_(catalogue) {}

  std::string write() {
    out_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- Made by pileus schema. -->\n"
        "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n";
    write_element(configuration_schema().front(), 1);
    write_option_type();
    for (const ValueKind kind : kinds_) write_type(form_of(kind));
    return out_ + "</xs:schema>\n";
  }

 private:
  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n";
  }

  void write_element(const ElementSchema& element, int depth) {
    line(depth, "<xs:element name=\"" + element.name + "\">");
    line(depth + 1, documentation(element.help));
    // An attribute, or text for it, may stand in place of the elements; XSD cannot say which of them does.
    const bool has_text = !element.text.empty();
    const bool needs_child = element.needs_child && !has_text;
    line(depth + 1, has_text ? "<xs:complexType mixed=\"true\">" : "<xs:complexType>");
    const std::vector<std::string> children = child_names(element);
    if (!children.empty()) {
      line(depth + 2, std::string("<xs:choice minOccurs=\"") + (needs_child ? "1" : "0") +
                          "\" maxOccurs=\"unbounded\">");
      for (const std::string& child : children) write_element(*find_schema(element, child), depth + 3);
      line(depth + 2, "</xs:choice>");
    }
    for (const SchemaAttribute& attribute : attributes_of(element)) write_attribute(attribute, depth + 2);
    line(depth + 1, "</xs:complexType>");
    line(depth, "</xs:element>");
  }

  std::vector<SchemaAttribute> attributes_of(const ElementSchema& element) const {
    std::vector<SchemaAttribute> all;
    for (const AttributeSchema& attribute : element.attributes) all.push_back(described(attribute));
    if (element.parent != "diagnostic" || element.name == kAttributeElement) return all;
    SchemaAttribute& name = all.front();
    name.kinds.clear();
    const auto& rules = element.name == "operator" ? catalogue_.operators : catalogue_.communications;
    for (const Declaration& rule : rules) name.words.push_back(rule.name);
    for (const Declaration& rule : rules) {
      const ElementSchema schema = with_parameters(element, rule);
      for (std::size_t i = element.attributes.size(); i < schema.attributes.size(); ++i)
        add(described(schema.attributes[i], rule.name), all);
    }
    return all;
  }

  void write_attribute(const SchemaAttribute& attribute, int depth) {
    std::string start = "<xs:attribute name=\"" + attribute.name + "\"";
    if (attribute.is_required) start += " use=\"required\"";
    if (!attribute.default_value.empty()) start += " default=\"" + escaped(attribute.default_value) + "\"";
    const bool is_simple = attribute.words.empty() && attribute.kinds.size() == 1;
    if (is_simple) start += std::string(" type=\"") + form_of(*attribute.kinds.begin()).name + "\"";
    kinds_.insert(attribute.kinds.begin(), attribute.kinds.end());
    line(depth, start + ">");
    line(depth + 1, documentation(attribute.help));
    if (!is_simple) write_own_type(attribute, depth + 1);
    line(depth, "</xs:attribute>");
  }

  /// Writes a type of certain words, or of several forms.
  void write_own_type(const SchemaAttribute& attribute, int depth) {
    std::string members = "option";
    for (const ValueKind kind : attribute.kinds) members += std::string(" ") + form_of(kind).name;
    line(depth, "<xs:simpleType>");
    if (attribute.words.empty()) {
      line(depth + 1, "<xs:union memberTypes=\"" + members + "\"/>");
      line(depth, "</xs:simpleType>");
      return;
    }
    line(depth + 1, "<xs:union memberTypes=\"" + members + "\">");
    line(depth + 2, "<xs:simpleType>");
    line(depth + 3, "<xs:restriction base=\"xs:token\">");
    for (const std::string& word : attribute.words)
      line(depth + 4, "<xs:enumeration value=\"" + escaped(word) + "\"/>");
    line(depth + 3, "</xs:restriction>");
    line(depth + 2, "</xs:simpleType>");
    line(depth + 1, "</xs:union>");
    line(depth, "</xs:simpleType>");
  }

  void write_option_type() {
    line(1, "<xs:simpleType name=\"option\">");
    line(2, documentation("A value with {key} in it, which stands for an option of the model"));
    line(2, R"(<xs:restriction base="xs:token"><xs:pattern value=".*\{.*\}.*"/></xs:restriction>)");
    line(1, "</xs:simpleType>");
  }

  void write_type(const ValueForm& form) {
    line(1, std::string("<xs:simpleType name=\"") + form.name + "\">");
    line(2, documentation(form.meaning));
    if (form.pattern.empty()) {
      line(2, "<xs:restriction base=\"xs:string\"/>");
    } else {
      line(2, "<xs:union memberTypes=\"option\">");
      line(3, "<xs:simpleType>");
      line(4, "<xs:restriction base=\"xs:token\"><xs:pattern value=\"" + escaped(form.pattern) +
                  "\"/></xs:restriction>");
      line(3, "</xs:simpleType>");
      line(2, "</xs:union>");
    }
    line(1, "</xs:simpleType>");
  }

  const Catalogue& catalogue_;
  std::string out_;
  std::set<ValueKind> kinds_;  ///< forms whose types are used
};

}  // namespace

std::string xml_schema(const Catalogue& catalogue) { return SchemaWriter(catalogue).write(); }

}  // namespace pileus
