#pragma once
// How far numbers are rounded, and what compresses them, as a configuration says it.

#include "layout/draft.h"
#include "plan/plan.h"

namespace pileus::planning {

/// `is_worth_it`: there are enough numbers. Errors: bits are to be sorted by a codec that does not.
/// `kind`: of the file.
Compression compression_of(const StorageConfig& storage, const FileKind& kind, bool is_worth_it,
                           Findings& findings);

/// Rounds the variable, which has its type and attributes, to bits or to multiples.
/// Errors: an error in units that are not those of the variable.
void add_rounding(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings);

/// What write_if and audit need beside the variable: its names in the file.
std::vector<std::string> names_beside(const Variable& variable);

/// Says when records of the variable are written, which has its type, attributes and compression, and no bits
/// to learn where it is not compressed; and whether their rounding is audited.
void add_selection(const Draft& draft, const Entry& entry, Variable& variable, Findings& findings);

/// Reports where bits are to be learned of what has none to lose. What a file says counts only for the
/// others.
void refuse_information(const Draft& draft, const Entry& entry, Findings& findings);

}  // namespace pileus::planning
