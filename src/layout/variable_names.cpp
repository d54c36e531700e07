#include "layout/variable_names.h"

#include <map>
#include <set>

#include "config/namespaces.h"

namespace pileus::planning {

std::vector<std::string> names_without_time(const Graph& graph, const std::vector<const Entry*>& entries) {
  const auto given_name = [](const Entry* entry) -> const std::string& { return entry->include->name.value; };
  std::map<std::string_view, std::set<std::string>> meanings;
  std::vector<std::string> names;
  for (const Entry* entry : entries) names.push_back(full_name_of(graph, *entry));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (given_name(entries[i]).empty()) meanings[last_name(names[i])].insert(names[i]);
  }
  std::vector<std::string> plain;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string &name = names[i], &given = given_name(entries[i]);
    plain.emplace_back(given.empty() ? last_name(name) : std::string_view(given));
    if (!given.empty()) continue;
    if (meanings.at(last_name(name)).size() == 1) continue;
    plain.back() = name;
    for (std::size_t mark; (mark = plain.back().find(kNamespaceMark)) != std::string::npos;)
      plain.back().replace(mark, kNamespaceMark.size(), "_");
  }
  return plain;
}

}  // namespace pileus::planning
