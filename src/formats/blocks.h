#pragma once
// Where one record of one variable lies in its file. Nearly always it is one block, which asks for no memory
// of its own: a file of many variables has tens of thousands of records.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/region.h"

namespace pileus {

/// A contiguous stretch of the file that holds `region` of one record densely, fastest first. Where the file
/// is padded, the region reaches past the extents of the variable.
struct Block {
  std::uint64_t offset = 0;  ///< in bytes, from the start of the file
  Region region;
  friend bool operator==(const Block&, const Block&) = default;
};

class Blocks {
 public:
  Blocks() = default;
  Blocks(std::initializer_list<Block> blocks) {
    for (const Block& block : blocks) push_back(block);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Block* begin() { return size_ <= 1 ? &only_ : all_.data(); }
  Block* end() { return begin() + size_; }
  const Block* begin() const { return size_ <= 1 ? &only_ : all_.data(); }
  const Block* end() const { return begin() + size_; }
  Block& operator[](std::size_t i) { return begin()[i]; }
  const Block& operator[](std::size_t i) const { return begin()[i]; }
  const Block& front() const { return *begin(); }
  friend bool operator==(const Blocks& a, const Blocks& b) { return std::ranges::equal(a, b); }

  void push_back(Block block) {
    if (size_ == 0) {
      only_ = std::move(block);
    } else {
      if (size_ == 1) all_.assign(1, only_);
      all_.push_back(std::move(block));
    }
    ++size_;
  }
  /// REQUIRES: it is empty.
  void resize(std::size_t size) {
    if (size > 1) all_.resize(size);
    size_ = size;
  }

 private:
  Block only_;              ///< where there is but one
  std::vector<Block> all_;  ///< where there are more
  std::size_t size_ = 0;
};

}  // namespace pileus
