#include "monc/included_names.h"

#include "config/namespaces.h"

namespace pileus::monc {

IncludedNames::IncludedNames(const Translation& translation) : in_(translation) {
  for (XmlElement* group : children(in_.root, "group"))
    groups_.try_emplace(full_name(in_.resolved(*group, "namespace"), in_.resolved(*group, "name")), group);
}

std::vector<std::string> IncludedNames::of(const XmlElement& include) const {
  std::vector<std::string> names;
  if (const std::string field = in_.resolved(include, "field"); !field.empty()) names.push_back(field);
  const auto group = groups_.find(in_.resolved(include, "group"));
  if (group == groups_.end()) return names;
  const std::string scope = in_.resolved(*group->second, "namespace");
  for (const XmlElement& member : group->second->children)
    names.push_back(full_name(scope, in_.resolved(member, "name")));
  return names;
}

}  // namespace pileus::monc
