#include "codecs/codec.h"

#include <algorithm>

namespace pileus {
namespace codecs {

const Codec& deflate() {
  static const Codec codec = {"deflate", "by deflate, as gzip does: every reader of NetCDF-4 knows it", "",
                              false};
  return codec;
}

const Codec& zstd() {
  static const Codec codec = {
      "zstd", "by Zstandard: several times as fast as deflate, and files are as small",
      "the filter of HDF5 with the number 32015, which netCDF4 and hdf5plugin for Python bring", false};
  return codec;
}

const Codec& blosc() {
  static const Codec codec = {
      "blosc", "by Blosc, with Zstandard inside: it can sort bits",
      "the filter of HDF5 with the number 32001: netCDF4 and hdf5plugin for Python bring it, and Debian's "
      "package hdf5-filter-plugin-blosc-serial",
      true};
  return codec;
}

const Codec& ccsds() {
  static const Codec codec = {"ccsds", "whole numbers, which CCSDS 121.0-B compresses without loss", "",
                              false};
  return codec;
}

const Codec& simple() {
  static const Codec codec = {"simple", "whole numbers as they are, which the oldest readers know", "",
                              false};
  return codec;
}

const Codec& plain() {
  static const Codec codec = {"plain", "as it is", "", false};
  return codec;
}

}  // namespace codecs

const std::vector<const Codec*>& all_codecs() {
#define PILEUS_LIST_CODEC(name) &codecs::name(),
  static const std::vector<const Codec*> all = {PILEUS_CODECS(PILEUS_LIST_CODEC)};
#undef PILEUS_LIST_CODEC
  return all;
}

const std::vector<const Codec*>& all_packings() {
#define PILEUS_LIST_CODEC(name) &codecs::name(),
  static const std::vector<const Codec*> all = {PILEUS_PACKINGS(PILEUS_LIST_CODEC)};
#undef PILEUS_LIST_CODEC
  return all;
}

const Codec* find_codec(std::string_view name) {
  const auto found = std::ranges::find(all_codecs(), name, [](const Codec* one) { return one->name; });
  return found == all_codecs().end() ? nullptr : *found;
}

}  // namespace pileus
