#include "layout/storage/file_writers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace pileus::planning {
namespace {

/// With writers="auto" each writer has at least so much of a record.
constexpr Index kBytesOfWriter = Index{16} << 20;

/// The bytes of the longest record of an axis that several servers hold and that is not compressed; nothing
/// where the file has none.
std::optional<Index> shared_bytes(const Draft& draft, FileId file) {
  std::map<ScheduleId, Index> bytes;
  for (std::size_t i = 0; i < draft.plan.variables.size(); ++i) {
    const Variable& variable = draft.plan.variables[i];
    const Term& term = draft.terms[draft.variable_terms[i]];
    if (variable.file != file || term.spread != Spread::distributed ||
        variable.storage.compression.is_packed())
      continue;
    auto size = static_cast<Index>(size_bytes(variable.type));
    for (const DimensionId dimension : term.dimensions) size *= draft.shapes.dimensions[dimension.index].size;
    bytes[variable.schedule] += size;
  }
  std::optional<Index> most;
  for (const auto& [schedule, size] : bytes) most = std::max(size, most.value_or(0));
  return most;
}

}  // namespace

void choose_writers(Draft& draft, Findings& findings) {
  for (std::size_t f = 0; f < draft.plan.files.size(); ++f) {
    PlannedFile& file = draft.plan.files[f];
    OnDisk& on_disk = file.on_disk;
    if (on_disk.writers == 0) continue;
    const std::optional<Index> bytes = shared_bytes(draft, FileId(f));
    if (on_disk.are_writers_by_size)
      on_disk.writers = std::max<Index>(1, bytes.value_or(0) / kBytesOfWriter);
    else if (!bytes && !findings.has_errors())
      findings.warning(file.where, "file " + quoted(file.name) + " has writers=\"" +
                                       std::to_string(on_disk.writers) +
                                       "\" and nothing for several servers to write: what is compressed, and "
                                       "results of one server, go through its owner; remove it");
  }
}

}  // namespace pileus::planning
