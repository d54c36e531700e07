#pragma once
// How a file lies on the disk, as a configuration says it. Nothing here changes what readers find in it.

#include <cstdint>

namespace pileus {

struct OnDisk {
  /// Larger writes sometimes stalled on ext4 (8 MiB: 0.53 s instead of 0.145 s), and shorter ones cost more
  /// calls than they save.
  static constexpr std::int64_t kWriteBytes = std::int64_t{1} << 20;
  static constexpr std::int64_t kLeastWrite = 4096, kMostWrite = std::int64_t{64} << 20;
  /// Chunks of at least kAlignedFrom bytes begin at a page, and smaller ones lie close together: with 64 KiB
  /// in place of a page a file of 1000 records of 256 KiB is 1.2 % larger, with 1 MiB four times.
  static constexpr std::int64_t kPage = 4096, kAlignedFrom = 65536, kMostAlign = std::int64_t{64} << 20;
  /// Lustre's: a stripe is a multiple of this, and a file has at most so many.
  static constexpr std::int64_t kStripeUnit = 65536, kMostStripe = std::int64_t{4} << 30, kMostStripes = 2000;
  static constexpr std::int64_t kAllStripes = -1;

  std::int64_t write_bytes = kWriteBytes;  ///< of one write, at most
  std::int64_t align_bytes = 0;            ///< large chunks begin at its multiples; 0: at pages
  std::int64_t stripe_count = 0;           ///< kAllStripes, or 0: as the folder says
  std::int64_t stripe_bytes = 0;           ///< 0: as the folder says
  bool is_in_parts = false;                ///< each server writes a file of its own
  /// Of so many servers each writes a slab of every record; 0: each writes what its model ranks hold.
  std::int64_t writers = 0;
  bool are_writers_by_size = false;        ///< how many follows from the size of a record
  std::int64_t slab_bytes = kAlignedFrom;  ///< a shorter slab is not worth a writer

  /// Tells whether records are cut into slabs. With enough of a record for each server each writes its own.
  bool has_slabs(std::int64_t servers) const {
    return servers > 1 && writers > 0 && !(are_writers_by_size && writers >= servers);
  }

  bool has_stripes() const { return stripe_count != 0 || stripe_bytes != 0; }
  std::int64_t alignment() const { return align_bytes > 0 ? align_bytes : kPage; }
  /// The shortest chunk that is aligned: a gap is never longer than the chunk behind it.
  std::int64_t aligned_from() const { return alignment() > kAlignedFrom ? alignment() : kAlignedFrom; }
  friend bool operator==(const OnDisk&, const OnDisk&) = default;
};

}  // namespace pileus
