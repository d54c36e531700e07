#pragma once
// Names are made unique by the namespace that they stand in: "w" in namespace "dynamics" is "dynamics::w".
// A namespace may lie in another one, as that of a file that is included with one.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

inline constexpr std::string_view kNamespaceMark = "::";

/// `name` in `scope`; the name itself where the scope is "".
inline std::string full_name(std::string_view scope, std::string_view name) {
  if (scope.empty()) return std::string(name);
  return std::string(scope) + std::string(kNamespaceMark) + std::string(name);
}

/// "dynamics" of "dynamics::w"; "" of "w".
inline std::string_view scope_of(std::string_view full_name) {
  const std::size_t mark = full_name.rfind(kNamespaceMark);
  return mark == full_name.npos ? std::string_view() : full_name.substr(0, mark);
}
/// "w" of "dynamics::w".
inline std::string_view last_name(std::string_view full_name) {
  const std::size_t mark = full_name.rfind(kNamespaceMark);
  return mark == full_name.npos ? full_name : full_name.substr(mark + kNamespaceMark.size());
}

/// What `name` may mean inside `scope`, from the inside out: in "a::b" first "a::b::name", then "a::name",
/// then "name".
inline std::vector<std::string> meanings(std::string_view scope, std::string_view name) {
  std::vector<std::string> all;
  for (; !scope.empty(); scope = scope_of(scope)) all.push_back(full_name(scope, name));
  all.emplace_back(name);
  return all;
}

/// The model may register "dynamics::w" for the field w of that namespace, or only "w": then one field of the
/// model is all those of that name.
inline std::string registered_name(std::string_view full_name, const std::set<std::string>& registered) {
  for (const std::string& one : meanings(scope_of(full_name), last_name(full_name))) {
    if (registered.contains(one)) return one;
  }
  return std::string(last_name(full_name));
}

}  // namespace pileus
