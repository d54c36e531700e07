#include "monc/dialect.h"

#include <algorithm>
#include <utility>

#include "config/values.h"
#include "monc/fork.h"
#include "monc/splice.h"
#include "monc/tags.h"
#include "monc/translate.h"
#include "monc/tree.h"
#include "xml/xml_document.h"

namespace pileus {
namespace monc {
namespace {

/// The end of the comment or the like that begins at `open`, as in strict XML; `open` itself at a tag.
std::size_t end_of_other(std::string_view text, std::size_t open) {
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [begin, end] : {Pair{"<!--", "-->"}, Pair{"<![CDATA[", "]]>"}, Pair{"<?", "?>"}}) {
    if (text.substr(open).starts_with(begin))
      return std::min(text.find(end, open + begin.size()), text.size());
  }
  return open;
}

/// Whether a tag has a value without quotes, which no well-formed text has.
bool has_bare_value(std::string_view text) {
  bool is_in_tag = false;
  for (std::size_t at = 0; (at = text.find_first_of(is_in_tag ? "<>=\"'" : "<", at)) < text.size(); ++at) {
    const char c = text[at];
    if (c == '<') {
      const std::size_t end = end_of_other(text, at);
      is_in_tag = end == at;
      at = end;
    } else if (c == '>') {
      is_in_tag = false;
    } else if (c == '=') {
      const std::size_t value_at = text.find_first_not_of(" \t\r\n", at + 1);
      if (value_at < text.size() && std::string_view("\"'<>").find(text[value_at]) == text.npos) return true;
    } else if ((at = text.find(c, at + 1)) >= text.size()) {
      return false;
    }
  }
  return false;
}

/// Whether a text has something that no strict file has, not even by a slip: a line with nothing but #include
/// and a path, or sections without a root together with a truth value without quotes. Where the bridge says
/// that the model is MONC, any value without quotes is no slip.
bool is_in(std::string_view text, const Options& options) {
  bool has_root = text.find("<io-configuration") != text.npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = line_at(text, at);
    if (trimmed(line).starts_with("#include") && !included_path(line).empty()) return true;
    at += line.size() + 1;
  }
  if (options.contains(kDialectOption) && has_bare_value(text)) return true;
  if (has_root || text.find("<data-definition") == text.npos) return false;
  for (const char* value : {"=true", "=false"}) {
    if (text.find(value) != text.npos) return true;
  }
  return false;
}

/// The fork that the user chose, or what the options and the text tell.
Fork known_fork(Fork chosen, std::string_view text, const DialectReading& reading) {
  return chosen == Fork::unknown ? fork_of(reading.options, text) : chosen;
}

std::unique_ptr<XmlDocument> read(Fork chosen, std::string text, const std::string& file_name,
                                  const DialectReading& reading) {
  if (reading.asks_for) reading.asks_for(kDialectOption);
  const Fork fork = known_fork(chosen, text, reading);
  const bool had_errors = reading.findings.has_errors();
  std::unique_ptr<PlacedText> placed = splice(std::move(text), file_name, reading, fork);
  if (placed->text().size() > XmlDocument::kMaxBytes)
    reading.findings.error({file_name},
                           "larger than 16 MiB with all that it includes: this is not a configuration");
  Tree tree = placed->text().size() > XmlDocument::kMaxBytes
                  ? Tree{}
                  : build_tree(read_tags(*placed, fork, reading.findings), *placed, reading.findings);
  // Something that is missing later may have been in a file that could not be included.
  const bool is_complete = tree.is_complete && (had_errors || !reading.findings.has_errors());
  translate({tree.root,
             *placed,
             {reading.options, reading.find_include, reading.findings, reading.is_whole && is_complete,
              reading.asks_for},
             known_fork(fork, placed->text(), reading)});
  return std::make_unique<XmlDocument>(std::move(placed), file_name, std::move(tree.root), is_complete);
}

}  // namespace

Dialect monc_dialect(Fork fork) {
  const auto reader = [fork](std::string text, const std::string& file_name, const DialectReading& reading) {
    return read(fork, std::move(text), file_name, reading);
  };
  // What tells files of MONC from strict ones does not tell the forks apart.
  const auto never = [](std::string_view, const Options&) { return false; };
  switch (fork) {
    case Fork::leeds: return {"monc-leeds", never, reader};
    case Fork::epcc: return {"monc-epcc", never, reader};
    case Fork::unknown: break;
  }
  return {"monc", is_in, reader};
}

}  // namespace monc

Dialect monc_dialect() { return monc::monc_dialect(monc::Fork::unknown); }

Dialects all_dialects(std::string chosen) {
  using monc::Fork;
  return {{monc_dialect(), monc::monc_dialect(Fork::leeds), monc::monc_dialect(Fork::epcc)},
          std::move(chosen)};
}

}  // namespace pileus
