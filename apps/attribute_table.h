#pragma once
// Prints attributes with their forms, defaults and meanings, for `pileus help`.

#include <string>
#include <vector>

namespace pileus::apps {

struct AttributeRow {
  std::string name, form;
  std::string otherwise;  ///< "required", a default, or ""
  std::string meaning;
};

/// A table of Markdown, or lines that begin with `indent`; nothing if there are no rows.
std::string attribute_table(const std::vector<AttributeRow>& rows, bool as_markdown,
                            const std::string& indent);

}  // namespace pileus::apps
