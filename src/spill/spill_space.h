#pragma once
// Which bytes of a spill file are in use. Bytes that were given back are used again, so that the file never
// grows beyond its limit.

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace pileus {

class SpillSpace {
 public:
  explicit SpillSpace(std::uint64_t limit_bytes) {
    if (limit_bytes > 0) free_.emplace(0, limit_bytes);
  }

  /// The offset of so many bytes that were free; none where nowhere as many lie together.
  /// REQUIRES: bytes > 0.
  std::optional<std::uint64_t> take(std::uint64_t bytes) {
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
      const auto [offset, length] = *gap;
      if (length < bytes) continue;
      free_.erase(gap);
      if (length > bytes) free_.emplace(offset + bytes, length - bytes);
      used_bytes_ += bytes;
      return offset;
    }
    return std::nullopt;
  }

  /// REQUIRES: they were taken so, and are given back once.
  void give_back(std::uint64_t offset, std::uint64_t bytes) {
    used_bytes_ -= bytes;
    auto after = free_.lower_bound(offset);
    if (after != free_.end() && after->first == offset + bytes) {
      bytes += after->second;
      after = free_.erase(after);
    }
    if (after != free_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    free_.emplace_hint(after, offset, bytes);
  }

  std::uint64_t used_bytes() const { return used_bytes_; }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  ///< lengths of the gaps by their offsets; none touch
  std::uint64_t used_bytes_ = 0;
};

}  // namespace pileus
