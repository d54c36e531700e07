#pragma once
// Which parts of a stretch of memory are free. Pieces are given back in any order; what lies side by side
// becomes one again.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pileus {

/// Not thread-safe.
class FreeMemory {
 public:
  /// All `size` bytes from `first` on are free at first. REQUIRES: both are multiples of kUnit.
  FreeMemory(std::size_t first, std::size_t size);
  static constexpr std::size_t kUnit = 64;

  /// The offset of so many bytes; nullopt where no free piece is as long. The smallest piece that is long
  /// enough, of these the first one, and before them one of just that length that was given back last: its
  /// pages are there and in the caches. REQUIRES: a multiple of kUnit.
  std::optional<std::size_t> take(std::size_t bytes);
  /// Where memory for the account is short, the piece is lost. REQUIRES: it was taken so.
  void give_back(std::size_t offset, std::size_t bytes) noexcept;

 private:
  struct Recent {
    std::size_t offset = 0, bytes = 0;
  };
  std::optional<std::size_t> take_recent(std::size_t bytes);
  void join(Recent& piece) noexcept;
  void join(std::size_t offset, std::size_t bytes);
  void add(std::size_t offset, std::size_t bytes);
  void remove(std::map<std::size_t, std::size_t>::iterator piece);

  std::array<Recent, 8> recent_ = {};  ///< not yet in the maps; none: of 0 bytes
  std::size_t next_recent_ = 0;
  std::map<std::size_t, std::size_t> by_offset_;
  std::set<std::pair<std::size_t, std::size_t>> by_size_;
};

}  // namespace pileus
