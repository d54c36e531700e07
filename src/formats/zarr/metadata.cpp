#include "formats/zarr/metadata.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace pileus::zarr {
namespace {

using Json = nlohmann::ordered_json;

/// Little-endian, as the codec "bytes" says; what runs Pileus is.
static_assert(std::endian::native == std::endian::little);

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::float64: return "float64";
    case ElementType::float32: return "float32";
    case ElementType::int32: return "int32";
    case ElementType::int64: return "int64";
    case ElementType::boolean: return "int8";
    case ElementType::character: return "string";
  }
  return "";
}

Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

template <class T>
T own_fill(const Array& array, T of_type) {
  return std::is_floating_point_v<T> && array.fill_value ? static_cast<T>(*array.fill_value) : of_type;
}

Json fill_value(const Array& array) {
  if (array.type == ElementType::character) return "";
  return std::visit([&](auto value) { return Json(own_fill(array, value)); }, missing_value(array.type));
}

/// Base 64 (RFC 4648) of a double: how xarray has fill values of floating-point numbers.
std::string base64_of(double value) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<unsigned char, 9> bytes = {};
  std::memcpy(bytes.data(), &value, sizeof value);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned all = (static_cast<unsigned>(bytes[i]) << 16U) |
                         (static_cast<unsigned>(bytes[i + 1]) << 8U) | static_cast<unsigned>(bytes[i + 2]);
    for (int shift = 18; shift >= 0; shift -= 6)
      text += kLetters[(all >> static_cast<unsigned>(shift)) & 63U];
  }
  text.back() = '=';  // eight bytes: the last letter stands for none
  return text;
}

Json value_of(const AttributeNumbers& numbers) {
  Json list = Json::array();
  for (const double value : numbers.reals) list.push_back(number(value));
  for (const std::int64_t value : numbers.integers) list.push_back(value);
  return list.size() == 1 ? list.front() : list;
}
Json value_of(const std::string& text) { return text; }
Json value_of(double value) { return number(value); }
Json value_of(std::int64_t value) { return value; }

Json json_of(const std::vector<FileAttribute>& attributes) {
  Json all = Json::object();
  for (const FileAttribute& one : attributes)
    all[one.name] = std::visit([](const auto& value) { return value_of(value); }, one.value);
  return all;
}

Json attributes_of(const Array& array) {
  Json all = json_of(array.attributes);
  if (all.contains("_FillValue") && array.type != ElementType::character) {
    all["_FillValue"] = std::visit(
        [&](auto value) -> Json {
          if constexpr (std::is_floating_point_v<decltype(value)>) return base64_of(own_fill(array, value));
          return value;
        },
        missing_value(array.type));
  }
  return all;
}

/// Of a chunk.
Json codecs_of(const Array& array) {
  const Json bytes = array.type == ElementType::character ? Json{{"name", "vlen-utf8"}}
                     : size_bytes(array.type) == 1
                         ? Json{{"name", "bytes"}}
                         : Json{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
  Json all = Json::array({bytes});
  const Compression& compression = array.compression;
  if (compression.codec == &codecs::zstd()) {
    all.push_back({{"name", "zstd"}, {"configuration", {{"level", compression.level}, {"checksum", false}}}});
  } else if (compression.codec == &codecs::blosc()) {
    const char* const shuffle = compression.shuffle == Shuffle::none    ? "noshuffle"
                                : compression.shuffle == Shuffle::bytes ? "shuffle"
                                                                        : "bitshuffle";
    all.push_back({{"name", "blosc"},
                   {"configuration",
                    {{"typesize", size_bytes(array.type)},
                     {"cname", "zstd"},
                     {"clevel", compression.level},
                     {"shuffle", shuffle},
                     {"blocksize", 0}}}});
  }
  return all;
}

Json index_codecs() {
  return Json::array({{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}, {{"name", "crc32c"}}});
}

Json json_of(const Array& array, Index records) {
  Json shape = Json::array(), chunk = Json::array(), shard = Json::array();
  if (array.has_records) {
    shape.push_back(records);
    chunk.push_back(array.chunk_records);
    shard.push_back(array.shard_records);
  }
  for (std::size_t d = array.extents.size(); d-- > 0;) {
    const Index pieces = (array.extents[d] + array.chunk[d] - 1) / array.chunk[d];
    shape.push_back(array.extents[d]);
    chunk.push_back(array.chunk[d]);
    shard.push_back(array.chunk[d] * pieces);
  }
  Json of_chunks = codecs_of(array);
  if (array.is_sharded()) {
    of_chunks = Json::array({{{"name", "sharding_indexed"},
                              {"configuration",
                               {{"chunk_shape", chunk},
                                {"codecs", of_chunks},
                                {"index_codecs", index_codecs()},
                                {"index_location", array.compression.is_packed() ? "end" : "start"}}}}});
  }
  const Json& grid = array.has_records ? shard : chunk;
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", shape},
          {"data_type", name_of(array.type)},
          {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", grid}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
          {"fill_value", fill_value(array)},
          {"codecs", of_chunks},
          {"attributes", attributes_of(array)},
          {"dimension_names", array.dimension_names},
          {"storage_transformers", Json::array()}};
}

Json group_of(const Json& attributes, const Json& consolidated) {
  return {{"zarr_format", 3},
          {"node_type", "group"},
          {"attributes", attributes},
          {"consolidated_metadata",
           {{"kind", "inline"}, {"must_understand", false}, {"metadata", consolidated}}}};
}

Json convention(const std::string& name, const std::string& version, const char* uuid, const char* what) {
  const std::string of_repository = "zarr-conventions/" + name;
  return {{"schema_url",
           "https://raw.githubusercontent.com/" + of_repository + "/refs/tags/" + version + "/schema.json"},
          {"spec_url", "https://github.com/" + of_repository + "/blob/" + version + "/README.md"},
          {"uuid", uuid},
          {"name", name},
          {"description", what}};
}

/// Of each level: the group, that which it follows from, and where its indices lie in those of that. Element
/// i has its centre at ratio * i + (ratio - 1) / 2 of the one before.
Json layout_of(const FileLevels& levels) {
  Json names = Json::array(), scale = Json::array(), translation = Json::array(), ones = Json::array();
  for (const auto& [name, ratio] : levels.dimensions) {
    names.push_back(name);
    ones.push_back(1.0);
    scale.push_back(static_cast<double>(ratio));
    translation.push_back(static_cast<double>(ratio - 1) / 2);
  }
  Json layout = Json::array({{{"asset", "0"}, {"transform", {{"scale", ones}}}, {"dimensions", names}}});
  for (int level = 1; level < levels.count; ++level)
    layout.push_back({{"asset", std::to_string(level)},
                      {"derived_from", std::to_string(level - 1)},
                      {"transform", {{"scale", scale}, {"translation", translation}}},
                      {"dimensions", names}});
  return layout;
}

/// The configuration stands in the store alone, as it is long.
Json attributes_of_level(std::vector<FileAttribute> attributes, const FileLevels& levels, int level) {
  std::erase_if(attributes, [](const FileAttribute& one) { return one.name == "configuration"; });
  Json all = json_of(attributes);
  if (levels.healpix.empty()) return all;
  all["zarr_conventions"] = Json::array(
      {convention("dggs", "v1", "7b255807-140c-42ca-97f6-7a1cfecdbc38", "The grid of cells of this group")});
  all["dggs"] = {{"name", "healpix"},
                 {"refinement_level", std::countr_zero(static_cast<std::uint64_t>(levels.nside >> level))},
                 {"indexing_scheme", "nested"},
                 {"spatial_dimension", levels.healpix}};
  return all;
}

void put(std::vector<std::byte>& bytes, std::size_t number) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(number >> shift));
}

}  // namespace

std::string text_of_array(const Array& array, Index records) {
  return json_of(array, records).dump(1) + "\n";
}

std::string text_of_group(const std::vector<FileAttribute>& attributes, std::span<const Array> arrays,
                          std::span<const Index> records, const FileLevels& levels) {
  Json all = Json::object();
  for (int level = 0; level < levels.count && levels.count > 1; ++level)
    all[std::to_string(level)] = group_of(attributes_of_level(attributes, levels, level), Json::object());
  // zarr-python wants all of a group together.
  for (int level = 0; level < levels.count; ++level) {
    const std::string group = levels.count > 1 ? std::to_string(level) + "/" : "";
    for (std::size_t a = 0; a < arrays.size(); ++a)
      if (arrays[a].name.starts_with(group)) all[arrays[a].name] = json_of(arrays[a], records[a]);
  }
  Json of_store = json_of(attributes);
  if (levels.count > 1) {
    of_store["zarr_conventions"] = Json::array({convention(
        "multiscales", "v0.1", "d35379db-88df-4056-af3a-620245f8e347", "Levels of resolution of a store")});
    of_store["multiscales"] = {{"layout", layout_of(levels)}, {"resampling_method", "average"}};
  }
  return group_of(of_store, all).dump(1) + "\n";
}

std::string text_of_level(const std::vector<FileAttribute>& attributes, std::span<const Array> arrays,
                          std::span<const Index> records, const FileLevels& levels, int level) {
  const std::string group = std::to_string(level) + "/";
  Json all = Json::object();
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].name.starts_with(group))
      all[arrays[a].name.substr(group.size())] = json_of(arrays[a], records[a]);
  }
  return group_of(attributes_of_level(attributes, levels, level), all).dump(1) + "\n";
}

std::vector<std::byte> encoded_texts(std::span<const std::byte> rows, std::size_t length) {
  std::vector<std::byte> bytes;
  put(bytes, rows.size() / length);
  for (std::size_t at = 0; at + length <= rows.size(); at += length) {
    const auto row = rows.subspan(at, length);
    const auto used = static_cast<std::size_t>(std::ranges::find(row, std::byte{0}) - row.begin());
    put(bytes, used);
    bytes.insert(bytes.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(used));
  }
  return bytes;
}

}  // namespace pileus::zarr
