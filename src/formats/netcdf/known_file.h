#pragma once
// One file on its way through what its series knows: the first ones are made by the library, which the series
// learns from; later ones are written as the library would have written them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "formats/netcdf/file_image.h"
#include "formats/netcdf/known_series.h"

namespace pileus::netcdf {

/// Values to be written along with a change.
struct ValuesAt {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

class KnownFile {
 public:
  /// `series`: null for a file that the library makes without being watched. `files` outlives this.
  KnownFile(std::string path, std::shared_ptr<KnownSeries> series, FileSystem& files);

  /// Null where the library has to make the next change, which is of this axis; none: the definition.
  const KnownChange* next(std::optional<std::uint32_t> axis) const;

  /// Writes the change as the library would have, and `values` with it. REQUIRES: it is next(); there is
  /// space on the disk. It may be repeated after a DiskFullError. Errors: OutputError.
  void repeat(const KnownChange& change, std::span<const ValuesAt> values);

  /// The library has made the next change. `addresses`: what it answered, in the order in which it was asked;
  /// `data`: the ranges that begin there.
  void learn(std::optional<std::uint32_t> axis, std::vector<std::uint64_t> addresses, const DataRanges& data);

  /// From here on the file has something of its own.
  void leave();

 private:
  std::string path_;
  std::shared_ptr<KnownSeries> series_;  ///< null once it is left
  FileSystem* files_;
  std::size_t place_ = 0;     ///< changes that are made
  bool is_repeated_ = false;  ///< all of them were known
  FileImage image_;           ///< after them; while the series learns
  DataRanges data_;           ///< likewise
};

}  // namespace pileus::netcdf
