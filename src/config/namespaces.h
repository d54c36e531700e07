#pragma once
// Namespaces make names unique: "w" in the namespace "dynamics" is "dynamics::w". A namespace may lie in
// another one, as that of a file which is included with a namespace.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

inline constexpr std::string_view kNamespaceMark = "::";

/// `name` in `scope`; the name itself if the scope is "".
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

/// The names that `name` may stand for inside `scope`, innermost first: in "a::b" they are "a::b::name",
/// "a::name" and "name".
inline std::vector<std::string> meanings(std::string_view scope, std::string_view name) {
  std::vector<std::string> all;
  for (; !scope.empty(); scope = scope_of(scope)) all.push_back(full_name(scope, name));
  all.emplace_back(name);
  return all;
}

/// The name under which the model has registered the field. For the field w of the namespace "dynamics" it
/// may register "dynamics::w", or only "w", which then stands for the fields w of all namespaces.
inline std::string registered_name(std::string_view full_name, const std::set<std::string>& registered) {
  for (const std::string& one : meanings(scope_of(full_name), last_name(full_name))) {
    if (registered.contains(one)) return one;
  }
  return std::string(last_name(full_name));
}

}  // namespace pileus
