#include "client/parcel_writer.h"

#include <cassert>
#include <cstring>
#include <type_traits>

namespace pileus {
namespace {

// These structures are sent as they lie in memory, so a byte of padding would send a byte of rubbish.
static_assert(std::is_trivially_copyable_v<ParcelHeader> && sizeof(ParcelHeader) == 56);
static_assert(std::is_trivially_copyable_v<FieldEntry> && sizeof(FieldEntry) == 24);
static_assert(std::is_trivially_copyable_v<ClockFrame> && sizeof(ClockFrame) == 48);
static_assert(std::is_trivially_copyable_v<FinishFrame> && sizeof(FinishFrame) == 64);

/// The first offset from `offset` on where a field of that size may begin.
std::uint64_t aligned(std::uint64_t offset, std::uint64_t size_bytes) {
  const std::uint64_t step = size_bytes < kLongField ? kFieldAlignment : kLongFieldAlignment;
  return (offset + step - 1) / step * step;
}

}  // namespace

ParcelWriter::ParcelWriter(std::vector<std::uint64_t> sizes_bytes)
    : sizes_bytes_(std::move(sizes_bytes)), entry_of_(sizes_bytes_.size()) {
  entries_.reserve(sizes_bytes_.size());
}

void ParcelWriter::lay_out(std::span<const std::uint32_t> fields) {
  assert(!slot_);
  entries_.clear();
  size_bytes_ = sizeof(ParcelHeader) + fields.size() * sizeof(FieldEntry);
  for (const std::uint32_t field : fields) {
    entry_of_[field] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(
        {field, Held::nothing, aligned(size_bytes_, sizes_bytes_[field]), sizes_bytes_[field]});
    size_bytes_ = entries_.back().offset + entries_.back().size_bytes;
  }
}

void ParcelWriter::set_slot(std::unique_ptr<Slot> slot) {
  assert(!slot_ && slot->bytes().size() >= size_bytes_);
  slot_ = std::move(slot);
}

std::byte* ParcelWriter::place(std::uint32_t field, Held held) {
  entries_[entry_of_[field]].held = held;
  return part_place(field);
}

std::byte* ParcelWriter::part_place(std::uint32_t field) {
  const FieldEntry& entry = entries_[entry_of_[field]];
  assert(entry.field == field);
  return slot_->bytes().data() + entry.offset;
}

std::unique_ptr<Slot> ParcelWriter::seal(ParcelHeader header) {
  std::byte* const first = slot_->bytes().data();
  header.field_count = static_cast<std::uint32_t>(entries_.size());
  std::memcpy(first, &header, sizeof header);
  std::memcpy(first + sizeof header, entries_.data(), entries_.size() * sizeof(FieldEntry));
  std::uint64_t written = sizeof header + entries_.size() * sizeof(FieldEntry);
  for (const FieldEntry& entry : entries_) {
    const std::uint64_t next = entry.held != Held::nothing ? entry.offset : entry.offset + entry.size_bytes;
    std::memset(first + written, 0, next - written);
    written = entry.offset + entry.size_bytes;
  }
  return std::move(slot_);
}

}  // namespace pileus
