#pragma once
// Names in the texts about what a model registers. For the files of Registration alone.

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/model_description.h"
#include "core/suggest.h"

namespace pileus::registering {

inline std::string quoted(const std::string& text) { return '"' + text + '"'; }

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

/// Null if none has the name.
template <class Named>
const Named* find(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// "pileus_field: field "theta": dimension 2 ("z")"
inline std::string where(const ModelField& field, std::size_t d) {
  std::string out = "pileus_field: field " + quoted(field.name) + ": dimension " + std::to_string(d + 1);
  if (d < field.dimensions.size()) out += " (" + quoted(field.dimensions[d]) + ")";
  return out;
}

/// The dimension of that name. `where` begins the text of an error. `others`: what else could be meant.
inline const ModelDimension& require_registered(const std::string& where, const std::string& name,
                                                const RankDescription& description,
                                                const std::vector<ModelPoints>& others) {
  if (const ModelDimension* found = find(description.dimensions, name)) return *found;
  std::vector<std::string> known = names_of(description.dimensions);
  for (const std::string& other : names_of(others)) known.push_back(other);
  throw UsageError(where + " is not registered; call pileus_dimension for it first" +
                   did_you_mean(name, known));
}

}  // namespace pileus::registering
