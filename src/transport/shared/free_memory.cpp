#include "transport/shared/free_memory.h"

#include <iterator>
#include <new>

namespace pileus {

FreeMemory::FreeMemory(std::size_t first, std::size_t size) { add(first, size); }

std::optional<std::size_t> FreeMemory::take(std::size_t bytes) {
  if (const auto recent = take_recent(bytes)) return recent;
  auto found = by_size_.lower_bound({bytes, 0});
  if (found == by_size_.end()) {
    for (Recent& piece : recent_) join(piece);
    found = by_size_.lower_bound({bytes, 0});
    if (found == by_size_.end()) return std::nullopt;
  }
  const auto [size, offset] = *found;
  if (size > bytes) add(offset + bytes, size - bytes);  // first, as it may fail
  remove(by_offset_.find(offset));
  return offset;
}

void FreeMemory::give_back(std::size_t offset, std::size_t bytes) noexcept {
  Recent& oldest = recent_[next_recent_];
  join(oldest);
  oldest = {offset, bytes};
  next_recent_ = (next_recent_ + 1) % recent_.size();
}

std::optional<std::size_t> FreeMemory::take_recent(std::size_t bytes) {
  for (std::size_t back = 1; back <= recent_.size(); ++back) {
    Recent& piece = recent_[(next_recent_ + recent_.size() - back) % recent_.size()];
    if (piece.bytes != bytes) continue;
    const std::size_t offset = piece.offset;
    piece = {};
    return offset;
  }
  return std::nullopt;
}

void FreeMemory::join(Recent& piece) noexcept {
  try {
    if (piece.bytes > 0) join(piece.offset, piece.bytes);
  } catch (const std::bad_alloc&) {
  }
  piece = {};
}

/// The neighbours go when the piece that holds all is there: until then nothing is lost.
void FreeMemory::join(std::size_t offset, std::size_t bytes) {
  const auto next = by_offset_.lower_bound(offset);
  const bool joins_next = next != by_offset_.end() && offset + bytes == next->first;
  const auto before = next != by_offset_.begin() ? std::prev(next) : by_offset_.end();
  const bool joins_before = before != by_offset_.end() && before->first + before->second == offset;
  const std::size_t all = bytes + (joins_next ? next->second : 0) + (joins_before ? before->second : 0);
  if (joins_before) {
    by_size_.emplace(all, before->first);
    by_size_.erase({before->second, before->first});
    before->second = all;
  } else {
    add(offset, all);
  }
  if (joins_next) remove(next);
}

void FreeMemory::add(std::size_t offset, std::size_t bytes) {
  const auto added = by_offset_.emplace(offset, bytes).first;
  try {
    by_size_.emplace(bytes, offset);
  } catch (...) {
    by_offset_.erase(added);
    throw;
  }
}

void FreeMemory::remove(std::map<std::size_t, std::size_t>::iterator piece) {
  by_size_.erase({piece->second, piece->first});
  by_offset_.erase(piece);
}

}  // namespace pileus
