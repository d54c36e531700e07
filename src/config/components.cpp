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

/// The files of a part of the document, without those of included files: names as they are written, and where.
std::map<std::string, Location> files_in(const XmlDocument& document, const XmlElement& part) {
  std::map<std::string, Location> files;
  for (const XmlElement& section : part.children) {
    if (section.name != "data-writing") continue;
    for (const XmlElement& file : section.children) {
      const std::string name = file.name == "file" ? attribute_of(file, "name") : "";
      if (!name.empty()) files.emplace(name, document.where(file.at));
    }
  }
  return files;
}

bool tells_components_apart(const std::string& file) {
  return file.find("{" + std::string(kComponentElement) + "}") != std::string::npos;
}

/// Names that come from options differ where these do, which nobody knows here.
void check_names(const XmlDocument& document, const std::vector<Component>& components,
                 const Component& chosen, Findings& findings) {
  const std::vector<std::string> names = names_of(components);
  if (names.size() > 1) {
    for (const auto& [file, where] : files_in(document, *document.root())) {
      if (!tells_components_apart(file))
        findings.error(where, "file " + in_quotes(file) + " would be written by each of the components " +
                                  listed(names, " and ") +
                                  "; put {component} into its name, or it into one of them");
    }
  }
  const auto own = files_in(document, *chosen.element);
  for (const Component& other : components) {
    if (other.name == chosen.name) continue;
    for (const auto& [file, where] : files_in(document, *other.element)) {
      const auto same = own.find(file);
      if (same == own.end() || tells_components_apart(file)) continue;
      findings.error(same->second, "file " + in_quotes(file) + " of component " + in_quotes(chosen.name) +
                                       " is written by component " + in_quotes(other.name) + " too, at " +
                                       where.text() + "; give each component files with names of its own");
    }
  }
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
  check_names(document, components, *chosen, findings);
  return chosen->element;
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
