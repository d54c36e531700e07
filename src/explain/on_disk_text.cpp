#include "explain/on_disk_text.h"

#include "files/file_layout.h"

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

/// Who writes what model ranks hold.
std::string writers_text(const Plan& plan, const PlannedFile& file) {
  bool is_any = false;
  for (const VariableId id : file.variables)
    is_any = is_any || plan[plan[id].value].spread == Spread::distributed;
  if (!is_any) return ", written by its owner";
  if (file.on_disk.is_in_parts)
    return ", and each server writes what model ranks hold into a file of its own (parts=\"server\")";
  return plan.layout.servers == 1 ? ", written by the server" : ", written by the servers together";
}

}  // namespace

std::string on_disk_text(const Plan& plan, const PlannedFile& file) {
  const bool has_places = file.kind == &kinds::netcdf4();
  return "    on the disk: " + writes_text(file.on_disk) +
         (has_places ? ", " + alignment_text(file.on_disk) : "") + stripes_text(file.on_disk) +
         writers_text(plan, file) + "\n";
}

}  // namespace pileus::explain
