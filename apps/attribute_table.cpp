#include "apps/attribute_table.h"

namespace pileus::apps {
namespace {

/// Escapes each `|`, which would end the cell.
std::string cell(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string markdown_of(const AttributeRow& row) {
  return "| `" + row.name + "` | " + cell(row.form) + " | " + cell(row.otherwise) + " | " +
         cell(row.meaning) + " |\n";
}

std::string line_of(const AttributeRow& row) {
  const std::string otherwise = row.otherwise.empty() ? "" : "; " + row.otherwise;
  return row.name + " (" + row.form + otherwise + "): " + row.meaning + "\n";
}

}  // namespace

std::string attribute_table(const std::vector<AttributeRow>& rows, bool as_markdown,
                            const std::string& indent) {
  if (rows.empty()) return "";
  std::string out = as_markdown ? "\n| attribute | form | default | meaning |\n|---|---|---|---|\n" : "";
  for (const AttributeRow& row : rows) out += as_markdown ? markdown_of(row) : indent + line_of(row);
  return out;
}

}  // namespace pileus::apps
