#pragma once
// What the library makes of one definition, kept from the first files of a series for the others: which bytes
// each of its calls changes, and where it says that chunks lie. It is believed when two files of the
// library's own came out the same.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "formats/netcdf/define.h"
#include "formats/netcdf/file_image.h"

namespace pileus::netcdf {

/// What one call does to a file: the definition, or the growth of an axis.
struct KnownChange {
  std::optional<std::uint32_t> axis;     ///< that gains records; none: the definition
  std::uint64_t size_bytes = 0;          ///< of the file afterwards
  std::vector<Patch> patches;            ///< all but data
  std::vector<std::uint64_t> addresses;  ///< of data, in the order in which the library is asked
  friend bool operator==(const KnownChange&, const KnownChange&) = default;
};

/// Bytes that may still be kept, by all series of a format together.
using MemoryToKeep = std::shared_ptr<std::uint64_t>;

/// The same calls in the same order make the same file, so changes are known by their place in that order.
class KnownSeries {
 public:
  KnownSeries(const FileDefinition& definition, MemoryToKeep memory);
  ~KnownSeries();
  KnownSeries(const KnownSeries&) = delete;
  KnownSeries& operator=(const KnownSeries&) = delete;

  /// To the last bit of every number.
  bool is_of(const FileDefinition& definition) const;

  /// Null where the library has to make the change itself.
  const KnownChange* find(std::size_t place, std::optional<std::uint32_t> axis) const;

  /// What the library did to a file in which everything before was as it is known. False where this file goes
  /// another way: nothing more is learnt from it.
  bool learn(std::size_t place, KnownChange change);

  /// As `define` gives it; the same in every file.
  std::shared_ptr<const std::vector<AxisVariables>> axes;

 private:
  struct Entry {
    KnownChange change;
    bool is_confirmed = false;
  };
  /// Whether there is space for so much more, which is taken then.
  bool take_memory(std::uint64_t bytes);

  FileDefinition definition_;
  MemoryToKeep memory_;
  std::uint64_t kept_bytes_ = 0;
  std::vector<Entry> changes_;
  bool is_ended_ = false;  ///< nothing is added any more
};

/// Those of a format.
class AllKnownSeries {
 public:
  /// Null where nothing is kept: the definition is of no series, or there is no space.
  std::shared_ptr<KnownSeries> of(const FileDefinition& definition);

 private:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

  MemoryToKeep memory_ = std::make_shared<std::uint64_t>(kMostBytes);
  std::vector<std::shared_ptr<KnownSeries>> series_;
};

}  // namespace pileus::netcdf
