#include "formats/netcdf/filters.h"

#include <hdf5.h>
#include <netcdf.h>
#include <netcdf_filter.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "codecs/coding/coding.h"
#include "core/error.h"

namespace pileus::netcdf {
namespace {

// The numbers under which the HDF Group has registered them.
constexpr H5Z_filter_t kZstd = 32015, kBlosc = 32001;

/// The parameters of the filter of Blosc: its revision, the format, bytes of an element and of a chunk, the
/// level, what is sorted (0 nothing, 1 bytes, 2 bits), and what compresses (5: Zstandard).
std::array<unsigned, 7> blosc_parameters(const Compression& compression, std::size_t element_size,
                                         std::size_t chunk_bytes) {
  return {2,
          2,
          static_cast<unsigned>(element_size),
          static_cast<unsigned>(chunk_bytes),
          static_cast<unsigned>(compression.level),
          static_cast<unsigned>(compression.shuffle),
          5};
}

/// A filter as HDF5 calls it: the number of bytes that come out, or 0 where it fails. No exception may leave
/// it, as the library is written in C.
std::size_t filtered(const Codec& codec, const Compression& compression, std::size_t element_size,
                     std::size_t most, unsigned flags, std::size_t length, std::size_t* size,
                     void** buffer) noexcept {
  try {
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(*buffer), length);
    std::vector<std::byte> out;
    if ((flags & H5Z_FLAG_REVERSE) != 0) {
      out = codecs::decoded(bytes, codec, most);
    } else {
      auto packed = codecs::encoded(bytes, element_size, compression);
      if (!packed) return 0;
      out = std::move(*packed);
    }
    void* const given = H5allocate_memory(std::max<std::size_t>(out.size(), 1), false);
    if (given == nullptr) return 0;
    std::copy(out.begin(), out.end(), static_cast<std::byte*>(given));
    H5free_memory(*buffer);
    *buffer = given;
    *size = std::max<std::size_t>(out.size(), 1);
    return out.size();
  } catch (const std::exception&) {
    return 0;
  }
}

/// A frame of Zstandard says how many bytes it holds; chunks of others are larger than those of Pileus.
constexpr std::size_t kMostInFrame = std::size_t{1} << 31U;

std::size_t by_zstd(unsigned flags, std::size_t count, const unsigned* values, std::size_t length,
                    std::size_t* size, void** buffer) {
  const int level = count > 0 ? static_cast<int>(values[0]) : 3;
  return filtered(codecs::zstd(), {&codecs::zstd(), level, Shuffle::none}, 1, kMostInFrame, flags, length,
                  size, buffer);
}

std::size_t by_blosc(unsigned flags, std::size_t count, const unsigned* values, std::size_t length,
                     std::size_t* size, void** buffer) {
  if (count < 6 || values[5] > 2) return 0;
  const Compression compression = {&codecs::blosc(), static_cast<int>(values[4]),
                                   static_cast<Shuffle>(values[5])};
  return filtered(codecs::blosc(), compression, std::max(values[2], 1U), kMostInFrame, flags, length, size,
                  buffer);
}

/// Unless somebody else in the process has one already. Plug-ins of the host are not looked for: what they do
/// is not known, and some fail where the library is not visible to all.
void add(H5Z_filter_t id, const char* name, H5Z_func_t filter) {
  unsigned loading = H5PL_ALL_PLUGIN;
  H5PLget_loading_state(&loading);
  H5PLset_loading_state(loading & ~static_cast<unsigned>(H5PL_FILTER_PLUGIN));
  const bool is_there = H5Zfilter_avail(id) > 0;
  H5PLset_loading_state(loading);
  if (is_there) return;
  const H5Z_class2_t description = {H5Z_CLASS_T_VERS, id, 1, 1, name, nullptr, nullptr, filter};
  if (H5Zregister(&description) < 0)
    throw OutputError("HDF5 does not take the filter of " + std::string(name));
}

}  // namespace

void register_filters() {
  add(kZstd, "zstd", by_zstd);
  add(kBlosc, "blosc", by_blosc);
}

std::vector<FilterOfChunk> filters_of(const Compression& compression, std::size_t element_size,
                                      std::size_t chunk_bytes) {
  const auto level = static_cast<unsigned>(compression.level);
  if (compression.codec == &codecs::blosc()) {
    const std::array<unsigned, 7> parameters = blosc_parameters(compression, element_size, chunk_bytes);
    return {{kBlosc, {parameters.begin(), parameters.end()}}};
  }
  std::vector<FilterOfChunk> filters;
  if (compression.shuffle == Shuffle::bytes)
    filters.push_back({H5Z_FILTER_SHUFFLE, {static_cast<unsigned>(element_size)}});
  const bool is_deflate = compression.codec == &codecs::deflate();
  filters.push_back({is_deflate ? H5Z_FILTER_DEFLATE : kZstd, {level}});
  return filters;
}

int define_filters(int file, int variable, const Compression& compression, std::size_t element_size,
                   std::size_t chunk_bytes) {
  const auto level = static_cast<unsigned>(compression.level);
  const int sorts_bytes = compression.shuffle == Shuffle::bytes ? 1 : 0;
  if (compression.codec == &codecs::deflate())
    return nc_def_var_deflate(file, variable, sorts_bytes, 1, compression.level);
  if (compression.codec == &codecs::zstd()) {
    const int status = nc_def_var_deflate(file, variable, sorts_bytes, 0, 0);
    return status != NC_NOERR ? status : nc_def_var_filter(file, variable, kZstd, 1, &level);
  }
  const std::array<unsigned, 7> parameters = blosc_parameters(compression, element_size, chunk_bytes);
  return nc_def_var_filter(file, variable, kBlosc, parameters.size(), parameters.data());
}

}  // namespace pileus::netcdf
