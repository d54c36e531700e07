#include "explain/on_disk_text.h"

#include <algorithm>
#include <set>

#include "files/value_layout.h"
#include "plan/held_regions.h"

namespace pileus::explain {
namespace {

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kKiB = 1024, kMiB = kKiB * kKiB;
  if (bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  if (bytes % kKiB == 0) return std::to_string(bytes / kKiB) + " KiB";
  return std::to_string(bytes) + " bytes";
}

std::string writes_text(const OnDisk& on_disk) {
  const bool is_default = on_disk.write_bytes == OnDisk::kWriteBytes;
  return "writes of up to " + size_text(on_disk.write_bytes) +
         (is_default ? " (the default)" : " (write_size)");
}

std::string alignment_text(const OnDisk& on_disk) {
  const char* const why = on_disk.align_bytes == 0                      ? "the page"
                          : on_disk.align_bytes == on_disk.stripe_bytes ? "stripe_size"
                                                                        : "align";
  return "chunks of " + size_text(on_disk.aligned_from()) + " or more at multiples of " +
         size_text(on_disk.alignment()) + " (" + why + ")";
}

std::string stripes_text(const OnDisk& on_disk) {
  if (!on_disk.has_stripes()) return "";
  const std::int64_t count = on_disk.stripe_count;
  const std::string stripes = count == OnDisk::kAllStripes ? "stripes on all disks"
                              : count == 0                 ? "stripes"
                              : count == 1                 ? "1 stripe"
                                                           : std::to_string(count) + " stripes";
  return ", on Lustre with " + stripes +
         (on_disk.stripe_bytes > 0 ? " of " + size_text(on_disk.stripe_bytes) : "");
}

std::int64_t bytes_of(const Plan& plan, const Variable& variable) {
  auto bytes = static_cast<std::int64_t>(size_bytes(variable.type));
  for (const DimensionId dimension : variable.dimensions) bytes *= plan[dimension].size;
  return bytes;
}

/// The largest variable that several servers write; null where there is none.
const Variable* largest_shared(const Plan& plan, const PlannedFile& file) {
  const Variable* largest = nullptr;
  for (const VariableId id : file.variables) {
    const Variable& variable = plan[id];
    const bool is_shared =
        plan[variable.value].spread == Spread::distributed && !variable.storage.compression.is_packed();
    if (is_shared && (largest == nullptr || bytes_of(plan, variable) > bytes_of(plan, *largest)))
      largest = &variable;
  }
  return largest;
}

/// What of a record lies together both on its model rank and in the file, at least.
std::int64_t stretch_bytes(const Plan& plan, const Variable& variable) {
  std::int64_t least = bytes_of(plan, variable);
  for (const Region& held : regions_of_value(plan, variable.value)) {
    const Region region = in_file(held, value_layout(plan, variable));
    auto bytes = static_cast<std::int64_t>(size_bytes(variable.type));
    for (std::size_t d = 0; d < region.count.size(); ++d) {
      bytes *= region.count[d];
      if (region.count[d] != plan[variable.dimensions[d]].size) break;
    }
    if (bytes > 0) least = std::min(least, bytes);
  }
  return least;
}

std::string of_servers(std::size_t writers, ServerRank servers) {
  return std::to_string(writers) + " of " + std::to_string(servers) + " servers";
}

/// Who writes what model ranks hold.
std::string writers_text(const Plan& plan, FileId id, const PackedVariables& packed) {
  const PlannedFile& file = plan[id];
  const OnDisk& on_disk = file.on_disk;
  const bool is_any = std::ranges::any_of(
      file.variables, [&](VariableId v) { return plan[plan[v].value].spread == Spread::distributed; });
  if (!is_any) return ", written by its owner";
  if (on_disk.is_in_parts)
    return ", and each server writes what model ranks hold into a file of its own (parts=\"server\")";
  const Variable* const largest = largest_shared(plan, file);
  const std::string by_size = on_disk.are_writers_by_size ? " (writers=\"auto\")" : "";
  if (largest == nullptr) return ", compressed by the servers and written by its owner";
  const std::optional<SlabsOfFile> slabs = slabs_of_file(plan, id, packed);
  if (slabs)
    return ", written by " + of_servers(slabs->writers, plan.layout.servers) +
           (on_disk.are_writers_by_size ? by_size : " (writers)") + ", in slabs of up to " +
           size_text(slabs->longest_bytes) + ", one for each in a record of a variable";
  const std::string who =
      plan.layout.servers == 1 ? ", written by the server" : ", written by the servers together";
  return who + by_size + ", each what its model ranks hold, in stretches of " +
         size_text(stretch_bytes(plan, *largest)) + " or more";
}

}  // namespace

std::optional<SlabsOfFile> slabs_of_file(const Plan& plan, FileId file, const PackedVariables& packed) {
  SlabsOfFile slabs;
  std::set<ServerRank> writers;
  for (const VariableId id : plan[file].variables) {
    if (!is_in_slabs(plan, id)) continue;
    for (const Packing::Chunk& slab : packed.packing().chunks(id)) {
      writers.insert(slab.packer);
      const auto element = static_cast<std::int64_t>(size_bytes(plan[id].type));
      slabs.longest_bytes = std::max(slabs.longest_bytes, slab.region.size() * element);
    }
  }
  if (writers.empty()) return {};
  slabs.writers = writers.size();
  return slabs;
}

std::size_t writers_of_file(const Plan& plan, FileId id, const PackedVariables& packed) {
  if (const std::optional<SlabsOfFile> slabs = slabs_of_file(plan, id, packed)) return slabs->writers;
  const bool is_by_all = plan[id].on_disk.is_in_parts || largest_shared(plan, plan[id]) != nullptr;
  return is_by_all ? plan.layout.servers : 1;
}

std::string on_disk_text(const Plan& plan, FileId id, const PackedVariables& packed) {
  const PlannedFile& file = plan[id];
  const bool has_places = file.kind == &kinds::netcdf4();
  return "    on the disk: " + writes_text(file.on_disk) +
         (has_places ? ", " + alignment_text(file.on_disk) : "") + stripes_text(file.on_disk) +
         writers_text(plan, id, packed) + "\n";
}

}  // namespace pileus::explain
