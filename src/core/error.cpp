#include "core/error.h"

#include <algorithm>
#include <tuple>

namespace pileus {

std::string Finding::text() const {
  const char* kind = severity == Severity::error     ? "error"
                     : severity == Severity::warning ? "warning"
                                                     : "note";
  std::string place = where.text();
  return (place.empty() ? "" : place + ": ") + kind + ": " + what;
}

void Findings::error(Location where, std::string what) {
  findings_.push_back({Severity::error, std::move(where), std::move(what)});
}

void Findings::warning(Location where, std::string what) {
  findings_.push_back({Severity::warning, std::move(where), std::move(what)});
}

void Findings::note(Location where, std::string what) {
  findings_.push_back({Severity::note, std::move(where), std::move(what)});
}

bool Findings::has_errors() const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [](const Finding& finding) { return finding.severity == Severity::error; });
}

Findings Findings::errors() const {
  Findings errors;
  for (const Finding& finding : findings_) {
    if (finding.severity == Severity::error) errors.findings_.push_back(finding);
  }
  return errors;
}

std::string Findings::text() const {
  std::vector<const Finding*> sorted;
  for (const Finding& finding : findings_) sorted.push_back(&finding);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding* a, const Finding* b) {
    return std::tie(a->where.file, a->where.line, a->where.column) <
           std::tie(b->where.file, b->where.line, b->where.column);
  });
  std::string out;
  for (const Finding* finding : sorted) {
    if (!out.empty()) out += '\n';
    out += finding->text();
  }
  return out;
}

}  // namespace pileus
