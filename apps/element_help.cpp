#include <iostream>
#include <set>

#include "apps/attribute_table.h"
#include "apps/help.h"
#include "config/forms/value_forms.h"
#include "config/messages.h"
#include "core/suggest.h"

namespace pileus::apps {
namespace {

std::string quoted(const std::string& name, bool as_markdown) {
  return as_markdown ? "`" + name + "`" : "<" + name + ">";
}

/// "at most once; holds ..."
std::string rules_of(const ElementSchema& element, bool as_markdown) {
  std::vector<std::string> facts;
  if (element.is_unique) facts.emplace_back("at most once");
  if (element.needs_child) facts.emplace_back("not empty");
  if (!element.text.empty())
    facts.push_back("text in it stands for " + (as_markdown ? "`" + element.text + "`" : element.text));
  std::vector<std::string> children;
  for (const std::string& child : child_names(element)) children.push_back(quoted(child, as_markdown));
  if (!children.empty()) facts.push_back("holds " + listed(children, " and "));
  if (element.parent == "diagnostic" && element.name != kAttributeElement)
    facts.emplace_back(as_markdown ? "has the attributes of its [operator](operators.md) besides"
                                   : "has the attributes of its operator besides: pileus help operators");
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? "" : "; ") + fact;
  return text;
}

std::string text_of(const ElementSchema& element, bool as_markdown) {
  const std::string place = element.parent.empty() ? "" : " in " + quoted(parent_name(element), as_markdown);
  const std::string rules = rules_of(element, as_markdown);
  std::vector<AttributeRow> rows;
  for (const AttributeSchema& attribute : element.attributes)
    rows.push_back({attribute.name, form_in_words(attribute),
                    attribute.is_required ? "required" : attribute.default_value, attribute.help});
  const std::string more = rules.empty() ? "" : as_markdown ? " (" + rules + ")" : "\n  " + rules;
  return (as_markdown ? "## " : "") + quoted(element.name, as_markdown) + place + "\n" +
         (as_markdown ? "\n" : "  ") + element.help + more + "\n" + attribute_table(rows, as_markdown, "  ");
}

}  // namespace

int help_configuration(bool as_markdown) {
  if (as_markdown) {
    std::cout << "# Elements and attributes\n\n"
                 "Made by `pileus help configuration --markdown` from the table that configurations are "
                 "checked by;\n"
                 "`pileus help element file` prints one of them, `pileus schema` the same for editors. "
                 "[Configuration](configuration.md)\n"
                 "says what they mean together.\n\n";
  }
  const std::vector<ElementSchema>& all = configuration_schema();
  for (const ElementSchema& element : all)
    std::cout << (&element == all.data() ? "" : "\n") << text_of(element, as_markdown);
  return 0;
}

int help_element(const std::string& name) {
  std::set<std::string> names;
  bool is_known = false;
  for (const ElementSchema& element : configuration_schema()) {
    names.insert(element.name);
    if (element.name != name) continue;
    std::cout << (is_known ? "\n" : "") << text_of(element, false);
    is_known = true;
  }
  if (is_known) return 0;
  const std::vector<std::string> known(names.begin(), names.end());
  std::cerr << "no element " << in_quotes(name) << suggestion_or_known(name, known) << '\n';
  return 1;
}

}  // namespace pileus::apps
