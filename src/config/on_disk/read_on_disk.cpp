#include "config/on_disk/read_on_disk.h"

#include <bit>

#include "config/messages.h"
#include "config/values.h"

namespace pileus {
namespace {

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kKiB = 1024;
  const bool is_in_mib = bytes % (kKiB * kKiB) == 0;
  return std::to_string(bytes / (is_in_mib ? kKiB * kKiB : kKiB)) + (is_in_mib ? " MiB" : " KiB");
}

class OnDiskReader {
 public:
  OnDiskReader(const ElementReader& element, FileConfig& file) : element_(element), file_(file) {}

  void read() {
    if (const auto size = between("write_size", OnDisk::kLeastWrite, OnDisk::kMostWrite))
      file_.on_disk.write_bytes = *size;
    read_stripes();
    read_alignment();
    read_writers();
    file_.parts_where = element_.text("parts").where;
    file_.on_disk.is_in_parts = element_.text("parts").value == "server";
    if (file_.on_disk.is_in_parts) check_parts();
    read_levels();
  }

 private:
  void refuse(const char* attribute, const std::string& why) const {
    element_.error(element_.text(attribute).where, element_.label() + " has " + attribute + "=" +
                                                       in_quotes(element_.text(attribute).value) + ": " +
                                                       why);
  }

  std::optional<std::int64_t> between(const char* attribute, std::int64_t least, std::int64_t most) const {
    if (!element_.is_given(attribute) || !element_.is_usable(attribute)) return {};
    const auto bytes = element_.bytes(attribute);
    if (!bytes || (*bytes >= least && *bytes <= most)) return bytes;
    refuse(attribute, "expected " + size_text(least) + " to " + size_text(most));
    return {};
  }

  void read_stripes() {
    OnDisk& on_disk = file_.on_disk;
    if (const auto size =
            between("stripe_size", OnDisk::kStripeUnit, OnDisk::kMostStripe - OnDisk::kStripeUnit)) {
      on_disk.stripe_bytes = *size;
      if (*size % OnDisk::kStripeUnit != 0)
        refuse("stripe_size", "a stripe of Lustre is a multiple of " + size_text(OnDisk::kStripeUnit));
    }
    if (!element_.is_usable("stripe_count")) return;
    const std::string& count = element_.text("stripe_count").value;
    if (count == "all") {
      on_disk.stripe_count = OnDisk::kAllStripes;
      return;
    }
    const auto number = parse_integer(count, 1);
    if (number && *number <= OnDisk::kMostStripes) {
      on_disk.stripe_count = *number;
    } else {
      refuse("stripe_count", "expected a number of stripes from 1 to " +
                                 std::to_string(OnDisk::kMostStripes) +
                                 ", or \"all\" for one on each disk of the file system");
    }
  }

  /// Stripes of a size that alignment may have are what it is for.
  void read_alignment() {
    OnDisk& on_disk = file_.on_disk;
    const bool has_alignment = file_.kind == &kinds::netcdf4();
    const auto stripe = static_cast<std::uint64_t>(on_disk.stripe_bytes);
    if (has_alignment && stripe > 0 && std::has_single_bit(stripe) &&
        on_disk.stripe_bytes <= OnDisk::kMostAlign)
      on_disk.align_bytes = on_disk.stripe_bytes;
    if (!element_.is_given("align")) return;
    if (!has_alignment)
      return refuse("align", "variables of format=" + in_quotes(file_.kind->name) +
                                 " begin where that format puts them: remove it");
    const auto bytes = between("align", OnDisk::kPage, OnDisk::kMostAlign);
    if (!bytes) return;
    if (!std::has_single_bit(static_cast<std::uint64_t>(*bytes)))
      return refuse(
          "align",
          "expected a power of two, such as " +
              size_text(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(*bytes)))));
    on_disk.align_bytes = *bytes;
  }

  void read_levels() {
    constexpr std::int64_t kMostLevels = 30;
    if (element_.is_usable("levels")) {
      file_.levels = element_.integer("levels").value_or(1);
      file_.levels_where = element_.text("levels").where;
    }
    file_.level_dimensions = element_.names("level_dimensions");
    if (file_.levels > kMostLevels) {
      refuse("levels", "expected 1 to " + std::to_string(kMostLevels));
      file_.levels = 1;
    }
    if (file_.levels > 1 && !file_.kind->has_groups) {
      refuse("levels",
             std::string("format=") + in_quotes(file_.kind->name) +
                 " has no place for coarser levels: write to Zarr (a name that ends with .zarr), or "
                 "make them by coarsen");
      file_.levels = 1;
    }
    const bool has_levels = element_.is_given("levels") || element_.was_misspelt("levels");
    if (element_.is_given("level_dimensions") && !has_levels)
      element_.error(element_.text("level_dimensions").where,
                     element_.label() + " has level_dimensions and no levels: say how many, by levels=");
  }

  void read_writers() {
    OnDisk& on_disk = file_.on_disk;
    if (!element_.is_given("writers") || !element_.is_usable("writers")) return;
    const std::string& writers = element_.text("writers").value;
    if (writers == "all") return;
    const auto number = parse_integer(writers, 1);
    on_disk.are_writers_by_size = writers == "auto";
    if (file_.kind->is_of_messages)
      refuse("writers", "the owner of a file of format=" + in_quotes(file_.kind->name) +
                            " writes all of it, as messages are packed: remove it");
    else if (on_disk.are_writers_by_size)
      on_disk.writers = 1;  // until records are known
    else if (number)
      on_disk.writers = *number;
    else
      refuse("writers",
             "expected a number of servers, \"auto\" for as many as a record is long for, or \"all\"");
  }

  void check_parts() {
    const bool has_parts = file_.kind == &kinds::netcdf4();
    if (!has_parts)
      refuse("parts", std::string("only NetCDF joins files of servers for its readers; ") +
                          (file_.kind->is_folder ? "servers write shards of their own in format="
                                                 : "there is one file in format=") +
                          in_quotes(file_.kind->name) + " anyway: remove it");
    if (file_.keeps_newest)
      refuse("parts",
             "with keep=\"newest\" readers would lose the parts of the file that they are reading: "
             "remove one of the two");
    if (element_.text("writers").value != "all")
      refuse("writers", "with parts=\"server\" each server writes a file of its own: remove one of the two");
    file_.on_disk.writers = 0;
    if (!has_parts || file_.keeps_newest) file_.on_disk.is_in_parts = false;
  }

  const ElementReader& element_;
  FileConfig& file_;
};

}  // namespace

void read_on_disk(const ElementReader& element, FileConfig& file) { OnDiskReader(element, file).read(); }

}  // namespace pileus
