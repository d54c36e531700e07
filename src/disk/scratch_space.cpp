#include "disk/scratch_space.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pileus {
namespace {

/// Reading and writing so many bytes more takes about as long as a further write: 2 us.
constexpr std::uint64_t kShortGap = 2U << 10;
/// Longer ones are written from where they lie.
constexpr std::uint64_t kShortStretch = 4U << 10;

/// The number of stretches, from the first on, that are written together.
std::size_t count_together(std::span<const Stretch> stretches, std::uint64_t element_size) {
  const auto bytes = [&](Index elements) { return static_cast<std::uint64_t>(elements) * element_size; };
  const auto end = [](const Stretch& one) { return one.global_offset + one.length; };
  std::size_t count = 1;
  for (; count < stretches.size(); ++count) {
    const Stretch &before = stretches[count - 1], &next = stretches[count];
    const bool is_close = bytes(next.global_offset - end(before)) <= kShortGap;
    const bool are_short = bytes(std::max(before.length, next.length)) <= kShortStretch;
    const bool fits = bytes(end(next) - stretches.front().global_offset) <= kPieceBytes;
    if (!is_close || !are_short || !fits) break;
  }
  return count;
}

}  // namespace

void ScratchBytes::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!space_->file) space_->file = space_->files.open_scratch(space_->directory);
  space_->file->write_at(first_ + offset, bytes);
}

void ScratchBytes::write(std::span<const Stretch> stretches, std::span<const std::byte> dense,
                         std::size_t element_size) {
  while (!stretches.empty()) {
    const std::size_t count = count_together(stretches, element_size);
    write_together(stretches.first(count), dense, element_size);
    stretches = stretches.subspan(count);
  }
}

void ScratchBytes::write_together(std::span<const Stretch> stretches, std::span<const std::byte> dense,
                                  std::size_t element_size) {
  const auto bytes = [&](Index elements) { return static_cast<std::size_t>(elements) * element_size; };
  const auto own = [&](const Stretch& one) {
    return dense.subspan(bytes(one.local_offset), bytes(one.length));
  };
  const Stretch &first = stretches.front(), &last = stretches.back();
  if (stretches.size() == 1) return write(bytes(first.global_offset), own(first));
  std::vector<std::byte> all(bytes(last.global_offset + last.length - first.global_offset));
  read(bytes(first.global_offset), all);
  for (const Stretch& one : stretches)
    std::ranges::copy(own(one), all.data() + bytes(one.global_offset - first.global_offset));
  write(bytes(first.global_offset), all);
}

void ScratchBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
  space_->file->read_at(first_ + offset, out);
}

ScratchSpace::ScratchSpace(FileSystem& files, std::string directory)
    : space_(std::make_shared<ScratchBytes::Space>(ScratchBytes::Space{files, std::move(directory)})) {}

std::shared_ptr<ScratchBytes> ScratchSpace::make(std::uint64_t size_bytes) {
  const std::uint64_t first = std::exchange(used_, used_ + size_bytes);
  return std::shared_ptr<ScratchBytes>(new ScratchBytes(space_, first, size_bytes));
}

}  // namespace pileus
