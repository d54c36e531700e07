#include "config/read_diagnostic.h"

#include <algorithm>

#include "config/first_places.h"
#include "config/messages.h"
#include "config/number_file.h"
#include "config/values.h"

namespace pileus {
namespace {

std::vector<std::string> names_of(const std::vector<Declaration>& declarations) {
  std::vector<std::string> names;
  for (const Declaration& declaration : declarations) names.push_back(declaration.name);
  return names;
}

const Declaration* find(const std::vector<Declaration>& declarations, std::string_view name) {
  const auto found = std::find_if(declarations.begin(), declarations.end(),
                                  [&](const Declaration& declaration) { return declaration.name == name; });
  return found == declarations.end() ? nullptr : &*found;
}

/// Reads the rules of one diagnostic, one after the other.
class RuleReader {
 public:
  RuleReader(Reading& reading, const ElementReader& diagnostic)
      : reading_(reading), diagnostic_(diagnostic) {}

  void read(const XmlElement& element) {
    const ElementSchema* schema = find_schema("diagnostic", element.name);
    if (!schema || element.name == kAttributeElement) return;
    const bool is_communication = element.name == "communication";
    const Catalogue& catalogue = reading_.catalogue;
    const auto& declarations = is_communication ? catalogue.communications : catalogue.operators;
    const auto& others = is_communication ? catalogue.operators : catalogue.communications;

    const XmlAttribute* name = element.find("name");
    const std::string key = name ? substituted(*name) : "";
    if (const Declaration* declaration = find(declarations, key)) {
      read_known(element, with_parameters(*schema, *declaration), is_communication);
    } else {
      read_unknown(element, *schema, declarations, find(others, key) != nullptr);
    }
  }

  std::vector<RuleConfig> take_rules() { return std::move(rules_); }
  std::vector<std::string> take_unread_results() { return std::move(unread_results_); }

  /// Checks that one of the results is the diagnostic itself.
  void check_result() const {
    const std::string name = diagnostic_.text("field").value;
    const bool is_found = std::find(results_.begin(), results_.end(), name) != results_.end();
    const bool may_come = !diagnostic_.element().is_complete || has_open_result_ || results_.empty();
    if (is_found || may_come || !diagnostic_.is_usable("field")) return;
    diagnostic_.error(diagnostic_.text("field").where,
                      "no rule of " + diagnostic_.label() + " has the result " + in_quotes(name) +
                          suggestion(name, results_) +
                          (suggestion(name, results_).empty() ? "; the last rule should" : ""));
  }

 private:
  std::string substituted(const XmlAttribute& attribute) const {
    return std::string(trimmed(substitute(attribute.value, reading_.options, true).text));
  }

  void read_known(const XmlElement& element, const ElementSchema& schema, bool is_communication) {
    const ElementReader reader(reading_, element, schema);
    RuleConfig rule{is_communication, reader.text("name"), reader.text("result"), {}, reader.where()};
    for (const AttributeSchema& attribute : schema.attributes) {
      if (attribute.name == "name" || attribute.name == "result") continue;
      rule.has_misspelt = rule.has_misspelt || (attribute.is_required && reader.was_misspelt(attribute.name));
      if (attribute.is_required && !reader.is_given(attribute.name)) continue;
      Text& value = rule.parameters[attribute.name] = reader.text(attribute.name);
      const bool is_table = attribute.kind == ValueKind::table;
      if ((is_table || attribute.kind == ValueKind::numbers) && reader.is_given(attribute.name) &&
          reader.is_usable(attribute.name))
        read_file(reader, attribute.name, !is_table, value, rule);
    }
    if (add_result(reader)) rules_.push_back(std::move(rule));
  }

  /// Puts the numbers of a file, or its text, in the place of its path.
  void read_file(const ElementReader& reader, const std::string& attribute, bool as_numbers, Text& value,
                 RuleConfig& rule) const {
    const std::string why = reading_.find_file ? put_file(value, as_numbers, *reading_.find_file) : "";
    if (why.empty()) return;
    reader.error(value.where, attribute + "=" + in_quotes(value.value) + ": " + why);
    rule.has_misspelt = true;  // nothing else is said of the rule
    value.value.clear();
  }

  void read_unknown(const XmlElement& element, ElementSchema schema,
                    const std::vector<Declaration>& declarations, bool is_other_kind) {
    const std::vector<std::string> known = names_of(declarations);
    // The parameters of this unknown rule cannot be checked. Those that are there count as right. If it has
    // no name, which may be misspelt, only the parameters that all rules have do.
    const auto take = [&](const std::string& parameter) {
      if (!schema.find(parameter)) schema.attributes.push_back({parameter});
    };
    if (element.find("name")) {
      for (const XmlAttribute& attribute : element.attributes) take(attribute.name);
    } else {
      for (const Declaration& one : declarations) {
        for (const ParameterDeclaration& parameter : one.parameters) take(parameter.name);
      }
    }
    const ElementReader reader(reading_, element, schema);
    if (add_result(reader) && reader.is_usable("result"))
      unread_results_.push_back(reader.text("result").value);
    if (!reader.is_usable("name")) return;
    const Text name = reader.text("name");
    const std::string other = element.name == "operator" ? "communication" : "operator";
    const std::string advice = is_other_kind
                                   ? "; it is " + std::string(other == "operator" ? "an " : "a ") + other +
                                         ": write <" + other + " name=" + in_quotes(name.value) + " ...>"
                                   : suggestion_or_known(name.value, known);
    reader.error(name.where,
                 diagnostic_.label() + ": no " + element.name + " " + in_quotes(name.value) + advice);
  }

  /// False if an earlier rule made the result.
  bool add_result(const ElementReader& rule) {
    if (!rule.is_usable("result")) {
      has_open_result_ = true;
      return true;
    }
    const Text result = rule.text("result");
    results_.push_back(result.value);
    const auto before = first_results_.before(result);
    if (before) {
      rule.error(result.where, "result " + in_quotes(result.value) + " is made twice in " +
                                   diagnostic_.label() + "; first at " + before->text());
    }
    return !before;
  }

  Reading& reading_;
  const ElementReader& diagnostic_;
  std::vector<RuleConfig> rules_;
  std::vector<std::string> results_, unread_results_;
  FirstPlaces first_results_;
  bool has_open_result_ = false;
};

}  // namespace

DiagnosticConfig read_diagnostic(Reading& reading, const ElementReader& diagnostic) {
  DiagnosticConfig out;
  read_description(diagnostic, out);
  out.field = diagnostic.text("field");
  out.cell_methods = diagnostic.text("cell_methods");
  out.is_exact = diagnostic.boolean("exact");
  out.expression = diagnostic.text("expression");
  if (reading.find_file) find_number_files(out.expression, *reading.find_file);
  const bool has_rules = std::ranges::any_of(
      diagnostic.element().children, [](const XmlElement& child) { return child.name != kAttributeElement; });
  if (out.expression.is_given() && has_rules) {
    diagnostic.error(out.expression.where,
                     diagnostic.label() + " has an expression and rules; it is made by one or the other");
    out.expression = {};
  }
  RuleReader rules(reading, diagnostic);
  for (const XmlElement& child : diagnostic.element().children) rules.read(child);
  rules.check_result();
  out.rules = rules.take_rules();
  out.unread_results = rules.take_unread_results();
  return out;
}

}  // namespace pileus
