#include "formats/audit_series.h"

#include <algorithm>
#include <variant>

#include "formats/audit_names.h"

namespace pileus {

std::string units_of(const std::vector<FileAttribute>& attributes) {
  const auto found = std::ranges::find(attributes, "units", &FileAttribute::name);
  const auto* const units = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->value);
  return units == nullptr ? "" : *units;
}

void set_audit(std::vector<Audit>& records, Index record, const PackedRecord& packed) {
  Audit whole;
  for (const PackedChunk& chunk : packed.chunks) whole += chunk.audit.value_or(Audit());
  records.resize(static_cast<std::size_t>(record));
  records.push_back(whole);
}

std::array<AuditSeries, 3> audit_series(const std::string& variable, const std::string& units,
                                        const std::vector<Audit>& records) {
  const auto [largest, rms, loss] = audit_names(variable);
  std::array<AuditSeries, 3> out = {
      AuditSeries{largest, "largest error by rounding of " + variable, units, {}},
      AuditSeries{rms, "root mean square error by rounding of " + variable, units, {}},
      AuditSeries{loss, "part of the spatial variance that rounding took from " + variable, "1", {}}};
  for (const Audit& record : records) {
    out[0].numbers.push_back(largest_error(record));
    out[1].numbers.push_back(rms_error(record));
    out[2].numbers.push_back(variance_loss(record));
  }
  return out;
}

}  // namespace pileus
