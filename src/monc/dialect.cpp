#include "monc/dialect.h"

#include <algorithm>

#include "config/values.h"
#include "config/xml_document.h"
#include "monc/splice.h"
#include "monc/tags.h"
#include "monc/translate.h"
#include "monc/tree.h"

namespace pileus {
namespace {

/// Whether a text has something that no strict file has, not even by a slip: a line with nothing but #include
/// and a path, or sections without a root together with a truth value without quotes.
bool is_in(std::string_view text) {
  bool has_root = text.find("<io-configuration") != text.npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = monc::line_at(text, at);
    if (trimmed(line).starts_with("#include") && !monc::included_path(line).empty()) return true;
    at += line.size() + 1;
  }
  if (has_root || text.find("<data-definition") == text.npos) return false;
  for (const char* value : {"=true", "=false"}) {
    if (text.find(value) != text.npos) return true;
  }
  return false;
}

std::unique_ptr<XmlDocument> read(std::string text, const std::string& file_name,
                                  const DialectReading& reading) {
  const bool had_errors = reading.findings.has_errors();
  std::unique_ptr<PlacedText> placed = monc::splice(std::move(text), file_name, reading);
  if (placed->text().size() > XmlDocument::kMaxBytes)
    reading.findings.error({file_name},
                           "larger than 16 MiB with all that it includes: this is not a configuration");
  monc::Tree tree =
      placed->text().size() > XmlDocument::kMaxBytes
          ? monc::Tree{}
          : monc::build_tree(monc::read_tags(*placed, reading.findings), *placed, reading.findings);
  // Something that is missing later may have been in a file that could not be included.
  const bool is_complete = tree.is_complete && (had_errors || !reading.findings.has_errors());
  monc::translate({tree.root,
                   *placed,
                   {reading.options, reading.find_include, reading.findings, reading.is_whole && is_complete,
                    reading.asks_for}});
  return std::make_unique<XmlDocument>(std::move(placed), file_name, std::move(tree.root), is_complete);
}

}  // namespace

Dialect monc_dialect() { return {"monc", is_in, read}; }

Dialects all_dialects(std::string chosen) { return {{monc_dialect()}, std::move(chosen)}; }

}  // namespace pileus
