#include "config/components.h"

#include <algorithm>
#include <map>

#include "config/messages.h"
#include "config/values.h"

namespace pileus {
namespace {

struct Component {
  std::string name;
  const XmlElement* element;
};

std::string attribute_of(const XmlElement& element, std::string_view attribute) {
  const XmlAttribute* const found = element.find(attribute);
  return found == nullptr ? "" : std::string(trimmed(found->value));
}

std::vector<Component> components_in(const XmlElement& root) {
  std::vector<Component> all;
  for (const XmlElement& child : root.children) {
    if (child.name == kComponentElement) all.push_back({attribute_of(child, "name"), &child});
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<Component>& components) {
  std::vector<std::string> names;
  for (const Component& one : components) {
    if (!one.name.empty() && std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
  }
  return names;
}

}  // namespace

const XmlElement* chosen_component(const XmlDocument& document, const std::string& name, bool is_first,
                                   Findings& findings) {
  const std::vector<Component> components = components_in(*document.root());
  if (components.empty()) return nullptr;
  const Location where = document.where(components.front().element->at);
  if (!is_first) {
    findings.error(where,
                   "<component> belongs in the file that the run is started with, not in one that is "
                   "included; include files inside of it");
    return nullptr;
  }
  std::map<std::string, Location> first;
  for (const Component& one : components) {
    const Location here = document.where(one.element->at);
    const auto [before, is_new] = first.emplace(one.name, here);
    if (!is_new && !one.name.empty())
      findings.error(
          here, "a second component " + in_quotes(one.name) + "; the first is at " + before->second.text());
  }
  const std::vector<std::string> names = names_of(components);
  if (name.empty()) {
    findings.error(where, "this configuration is for the components " + listed(names, " and ") +
                              ", and the model says of none that it is that one: its settings name it "
                              "(component)");
    return nullptr;
  }
  const auto chosen = std::ranges::find(components, name, &Component::name);
  if (chosen == components.end()) {
    findings.error(where, "no component " + in_quotes(name) + suggestion(name, names) +
                              "; the configuration has " + listed(names, " and "));
    return nullptr;
  }
  return chosen->element;
}

void check_files_of_components(const std::string& component, const std::map<std::string, Config>& all,
                               Findings& findings) {
  std::map<std::string, Location> own;
  if (const auto found = all.find(component); found != all.end()) {
    for (const FileConfig& file : found->second.files) own.emplace(file.name.value, file.where);
  }
  for (const auto& [other, config] : all) {
    if (other == component) continue;
    for (const FileConfig& file : config.files) {
      const auto same = own.find(file.name.value);
      if (same == own.end()) continue;
      const std::string which = "file " + in_quotes(file.name.value);
      const bool is_of_both = same->second.text() == file.where.text();
      const std::string what =
          is_of_both ? which +
                           " would be written by each of the components; put {component} into its name, or "
                           "it into one of them"
                     : which + " of component " + in_quotes(component) + " is written by component " +
                           in_quotes(other) + " too, at " + file.where.text() +
                           "; give each component files with names of its own";
      const Location& where = is_of_both ? file.where : same->second;
      // The options of two components may differ, which nobody knows here.
      if (file.name.value.find('{') == std::string::npos) {
        findings.error(where, what);
      } else {
        findings.warning(where, what + ", unless its options have other values there");
      }
    }
  }
}

std::vector<std::string> component_names(const XmlDocument& document) {
  return document.root() ? names_of(components_in(*document.root())) : std::vector<std::string>();
}

std::vector<std::string> component_names(std::string_view text, const std::string& file_name,
                                         const Dialects& dialects) {
  if (dialects.of(text, {}) != nullptr) return {};
  Findings ignored;
  const XmlDocument document(text, file_name, ignored);
  return component_names(document);
}

}  // namespace pileus
