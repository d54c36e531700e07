#include "disk/scratch_space.h"

#include <utility>

namespace pileus {

void ScratchBytes::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!space_->file) space_->file = space_->files.open_scratch(space_->directory);
  space_->file->write_at(first_ + offset, bytes);
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
