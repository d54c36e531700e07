#pragma once
// Writes the parcel of one group in one step in place: a header, an entry for each field that the step wants
// of this rank, and the fields. Each field begins at a multiple of kFieldAlignment, a long one at a multiple
// of kLongFieldAlignment.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "client/frames.h"
#include "transport/endpoint.h"

namespace pileus {

class ParcelWriter {
 public:
  /// `sizes_bytes`: the size of what this rank sends, for each field of the group.
  explicit ParcelWriter(std::vector<std::uint64_t> sizes_bytes);

  /// Begins a step whose parcel holds `fields`, by increasing index. Allocates nothing.
  void lay_out(std::span<const std::uint32_t> fields);
  std::uint64_t size_bytes() const { return size_bytes_; }

  bool has_slot() const { return slot_ != nullptr; }
  /// REQUIRES: the slot has size_bytes().
  void set_slot(std::unique_ptr<Slot> slot);
  /// Marks the field as present and returns where to write it. REQUIRES: has_slot(), and the field is in the
  /// layout.
  std::byte* place(std::uint32_t field, Held held = Held::whole);
  /// Where to write it, of a field that is not marked before all of it is there. REQUIRES: as place().
  std::byte* part_place(std::uint32_t field);

  /// Fills in header and entries, and writes zeros where nothing was placed. REQUIRES: has_slot().
  std::unique_ptr<Slot> seal(ParcelHeader header);

 private:
  std::vector<std::uint64_t> sizes_bytes_;
  std::vector<std::uint32_t> entry_of_;  ///< by field; stale for fields that are not in the layout
  std::vector<FieldEntry> entries_;
  std::uint64_t size_bytes_ = 0;
  std::unique_ptr<Slot> slot_;
};

}  // namespace pileus
