#include "formats/netcdf/file_image.h"

#include <algorithm>
#include <utility>

namespace pileus::netcdf {
namespace {

/// Bytes that are taken along as a whole where one of them has changed.
constexpr std::size_t kBlock = 1024;

/// What lies between the data of a file of so many bytes, by increasing offset.
std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps(const DataRanges& data, std::uint64_t size) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
  std::uint64_t end = 0;
  for (const auto& [offset, length] : data) {
    if (end < offset) gaps.emplace_back(end, std::min(offset, size) - end);
    end = std::min(offset + length, size);
  }
  if (end < size) gaps.emplace_back(end, size - end);
  return gaps;
}

/// Of the piece, the blocks in which it is not what was there `before`.
void add_changes(const Patch& piece, std::span<const std::byte> before, std::vector<Patch>& changes) {
  bool goes_on = false;
  for (std::size_t first = 0; first < piece.bytes.size(); first += kBlock) {
    const auto block = std::span(piece.bytes).subspan(first, std::min(kBlock, piece.bytes.size() - first));
    const bool is_changed = !std::ranges::equal(block, before.subspan(first, block.size()));
    if (is_changed && !goes_on) changes.push_back({piece.offset + first, {}});
    goes_on = is_changed;
    if (goes_on) changes.back().bytes.insert(changes.back().bytes.end(), block.begin(), block.end());
  }
}

}  // namespace

std::optional<FileImage> FileImage::read(SourceFile& file, const DataRanges& data, std::uint64_t most_bytes) {
  FileImage image;
  image.size_bytes_ = file.size_bytes();
  std::uint64_t bytes = 0;
  for (const auto& [offset, length] : gaps(data, image.size_bytes_)) {
    bytes += length;
    if (bytes > most_bytes) return {};
    image.pieces_.push_back({offset, std::vector<std::byte>(length)});
    file.read_at(offset, image.pieces_.back().bytes);
  }
  return image;
}

std::vector<Patch> FileImage::changes_since(const FileImage& before) const {
  std::vector<Patch> changes;
  std::vector<std::byte> old;
  for (const Patch& piece : pieces_) {
    old.assign(piece.bytes.size(), std::byte{0});
    before.copy_to(piece.offset, old);
    add_changes(piece, old, changes);
  }
  return changes;
}

/// What this has of the bytes from `offset` on; the others stay.
void FileImage::copy_to(std::uint64_t offset, std::span<std::byte> out) const {
  const std::uint64_t end = offset + out.size();
  auto piece = std::ranges::partition_point(
      pieces_, [&](const Patch& one) { return one.offset + one.bytes.size() <= offset; });
  for (; piece != pieces_.end() && piece->offset < end; ++piece) {
    const std::uint64_t first = std::max(piece->offset, offset);
    const std::uint64_t last = std::min(piece->offset + piece->bytes.size(), end);
    const auto common = std::span(piece->bytes).subspan(first - piece->offset, last - first);
    std::ranges::copy(common, out.begin() + static_cast<std::ptrdiff_t>(first - offset));
  }
}

}  // namespace pileus::netcdf
