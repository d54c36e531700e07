#pragma once
// Where consecutive records of one variable lie in its file. A file of many variables has tens of thousands
// of records, and they lie at equal distances as long as the format gives them one stretch of the file. So
// what is kept is each stretch, not each record.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "formats/blocks.h"

namespace pileus {

/// Where one record of one variable lies.
struct RecordPlacement {
  Blocks blocks;
  friend bool operator==(const RecordPlacement&, const RecordPlacement&) = default;
};

class RecordPlacements {
 public:
  RecordPlacements() = default;
  RecordPlacements(std::initializer_list<RecordPlacement> records) {
    for (const RecordPlacement& record : records) push_back(record);
  }

  std::size_t size() const { return size_; }
  /// REQUIRES: i < size().
  RecordPlacement operator[](std::size_t i) const;
  void push_back(const RecordPlacement& record);
  /// REQUIRES: count <= size().
  void drop_first(std::size_t count);
  /// What it holds on the heap, for a test that it stays small.
  std::size_t held_bytes() const;

 private:
  /// Records at equal distances, in blocks of the same regions.
  struct Stretch {
    std::size_t end = 0;         ///< past its last record
    std::size_t first = 0;       ///< the record that lies at the offsets
    std::size_t offsets = 0;     ///< where they begin
    std::uint64_t distance = 0;  ///< modulo 2^64, so that it may be negative
    std::uint32_t shape = 0;
  };

  bool continues(Stretch& last, const RecordPlacement& record) const;
  std::uint32_t shape_of(const RecordPlacement& record);

  std::vector<std::vector<Region>> shapes_;  ///< regions of the blocks of a record
  std::vector<std::uint64_t> offsets_;       ///< of the blocks of the first record of each stretch
  std::vector<Stretch> stretches_;
  std::size_t skipped_ = 0;  ///< records that were dropped
  std::size_t size_ = 0;     ///< without these
};

}  // namespace pileus
