#pragma once
// What an include of a file stands for: the fields of its group, or its field.

#include <map>
#include <string>
#include <vector>

#include "monc/translate.h"

namespace pileus::monc {

class IncludedNames {
 public:
  /// Comes after translate_names, by which includes have the full names of groups.
  explicit IncludedNames(const Translation& translation);

  /// Full names, in the order of the group.
  std::vector<std::string> of(const XmlElement& include) const;

 private:
  const Translation& in_;
  std::map<std::string, const XmlElement*> groups_;  ///< by full name
};

}  // namespace pileus::monc
