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
  add(Severity::error, std::move(where), std::move(what));
}

void Findings::warning(Location where, std::string what) {
  add(Severity::warning, std::move(where), std::move(what));
}

void Findings::note(Location where, std::string what) {
  add(Severity::note, std::move(where), std::move(what));
}

void Findings::add(Severity severity, Location where, std::string what) {
  Finding finding{severity, std::move(where), std::move(what)};
  if (finding.where.line > 0 && !said_.insert(finding.text()).second) return;
  findings_.push_back(std::move(finding));
}

void Findings::trace(const std::string& file, const Location& where) {
  std::string& places = included_at_[file];
  places += (places.empty() ? "" : " and ") + where.text();
}

std::string Findings::text(const Finding& finding) const {
  const auto included = included_at_.find(finding.where.file);
  return finding.text() + (included == included_at_.end() ? "" : " [included at " + included->second + "]");
}

bool Findings::has_errors() const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [](const Finding& finding) { return finding.severity == Severity::error; });
}

Findings Findings::errors() const {
  Findings errors;
  errors.included_at_ = included_at_;
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
    out += text(*finding);
  }
  return out;
}

}  // namespace pileus
