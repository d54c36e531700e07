#pragma once
// How a file lies on the disk, and why, in words.

#include <cstdint>
#include <optional>
#include <string>

#include "explain/packed_variables.h"
#include "plan/plan.h"

namespace pileus::explain {

/// A line that ends.
std::string on_disk_text(const Plan& plan, FileId file, const PackedVariables& packed);

/// Who writes a file of which each writer has a slab of every record.
struct SlabsOfFile {
  std::size_t writers = 0;
  std::int64_t longest_bytes = 0;
};
/// How many servers write into the file, or files of their own; results of one server count as one.
std::size_t writers_of_file(const Plan& plan, FileId file, const PackedVariables& packed);
/// Nothing where each server writes what it has. `packed`: of the plan.
std::optional<SlabsOfFile> slabs_of_file(const Plan& plan, FileId file, const PackedVariables& packed);

}  // namespace pileus::explain
