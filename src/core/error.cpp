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
  if (severity == Severity::error) wrong_places_.insert(finding.where.text());
  findings_.push_back(std::move(finding));
}

void Findings::trace(const std::string& file, const Location& where) { included_at_[file].push_back(where); }

std::vector<Location> Findings::included_at(const std::string& file) const {
  const auto included = included_at_.find(file);
  return included == included_at_.end() ? std::vector<Location>() : included->second;
}

/// "b.xml:2:3, which is included at io.xml:4:3": the whole way to a place, by the first include of each file.
std::string Findings::way_to(const Location& place, std::size_t deepest) const {
  const std::vector<Location> before = included_at(place.file);
  if (before.empty() || deepest == 0) return place.text();
  return place.text() + ", which is included at " + way_to(before.front(), deepest - 1);
}

std::string Findings::text(const Finding& finding) const {
  constexpr std::size_t kMostNamed = 3;
  std::string places;
  const std::vector<Location> all = included_at(finding.where.file);
  for (std::size_t i = 0; i < std::min(all.size(), kMostNamed); ++i)
    places += (places.empty() ? "" : " and ") + way_to(all[i], included_at_.size());
  if (all.size() > kMostNamed) places += " and " + std::to_string(all.size() - kMostNamed) + " more";
  return finding.text() + (places.empty() ? "" : " [included at " + places + "]");
}

bool Findings::has_errors() const { return !wrong_places_.empty(); }

bool Findings::has_error_at(const Location& where) const { return wrong_places_.contains(where.text()); }

Findings Findings::errors() const {
  Findings errors;
  errors.included_at_ = included_at_;
  errors.wrong_places_ = wrong_places_;
  for (const Finding& finding : findings_) {
    if (finding.severity == Severity::error) errors.findings_.push_back(finding);
  }
  return errors;
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> sorted = findings_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) <
           std::tie(b.where.file, b.where.line, b.where.column);
  });
  return sorted;
}

std::string Findings::text() const {
  std::string out;
  for (const Finding& finding : sorted()) out += (out.empty() ? "" : "\n") + text(finding);
  return out;
}

}  // namespace pileus
