#pragma once
// What readers find in a file beside a variable whose rounding is audited: one number for each record.

#include <array>
#include <string>
#include <vector>

#include "formats/format.h"

namespace pileus {

struct AuditSeries {
  std::string name, long_name, units;
  std::vector<double> numbers;  ///< NaN where a record has none
};

/// "" where there are none.
std::string units_of(const std::vector<FileAttribute>& attributes);

/// Takes what all chunks of a record say, again where the record was not written the time before.
void set_audit(std::vector<Audit>& records, Index record, const PackedRecord& packed);

/// `units`: of the variable; "" if it has none.
std::array<AuditSeries, 3> audit_series(const std::string& variable, const std::string& units,
                                        const std::vector<Audit>& records);

}  // namespace pileus
