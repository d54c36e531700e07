#include "formats/zarr/static_arrays.h"

#include <algorithm>

#include "codecs/coding/coding.h"
#include "formats/chunk_values.h"
#include "formats/zarr/metadata.h"
#include "levels/coarse_bytes.h"

namespace pileus::zarr {
namespace {

constexpr const char* kBounds = "bnds";

std::span<const std::byte> bytes_of(const std::vector<double>& values) {
  return std::as_bytes(std::span(values));
}

void put_numbers(const Array& array, const ByteSource& values, const PutFile& put) {
  for (const Region& region : array.regions()) {
    const std::size_t element = size_bytes(array.type);
    std::vector<std::byte> chunk = values_in(values, array.extents, region, element);
    if (array.compression.is_packed()) {
      if (auto packed = codecs::encoded(chunk, element, array.compression)) chunk = std::move(*packed);
    }
    put(array.chunk_name(region), chunk);
  }
}

/// Its values, or those of the blocks that it is made of.
std::shared_ptr<const ByteSource> values_of(const FileStatic& one, const FileDefinition& definition) {
  if (!one.coarse) return one.values;
  const FileStatic& fine = definition.statics[one.coarse->of];
  const double missing = one.fill_value.value_or(
      std::visit([](auto value) { return static_cast<double>(value); }, missing_value(fine.type)));
  return coarse_bytes(fine.values, fine.type, extents_of(definition, fine.dimensions), one.coarse->lengths,
                      one.coarse->what, missing);
}

/// One list of texts: the dimension of their characters is none of the array.
Array texts(const FileStatic& one, const FileDefinition& definition, const PutFile& put) {
  std::vector<Index> extents = extents_of(definition, one.dimensions);
  std::vector<std::string> names = names_of(definition, one.dimensions);
  const Index length = extents.empty() ? 1 : extents.front();
  if (!extents.empty()) {
    extents.erase(extents.begin());
    names.pop_back();
  }
  Array array{
      path_of(definition, one.name), ElementType::character, std::move(names), extents, false, 1, 1, {}};
  array.chunk = extents;
  const auto values = values_of(one, definition);
  std::vector<std::byte> rows(values->size_bytes());
  values->read(0, rows);
  put(array.chunk_name({std::vector<Index>(extents.size(), 0), extents}),
      encoded_texts(rows, static_cast<std::size_t>(length)));
  return array;
}

/// Another variable says that these are its bounds, or nobody reads its value.
bool has_no_fill_value(const FileDefinition& definition, const FileStatic& one) {
  if (one.has_no_fill_value || one.type == ElementType::character) return true;
  const FileAttribute bounds{"bounds", name_in_group(one.name)};
  return std::ranges::any_of(definition.statics, [&](const FileStatic& other) {
    return std::ranges::find(other.attributes, bounds) != other.attributes.end();
  });
}

Array of_static(const FileStatic& one, const FileDefinition& definition, const PutFile& put) {
  Array array;
  if (one.type == ElementType::character) {
    array = texts(one, definition, put);
  } else {
    const Compression compression = one.dimensions.empty() ? Compression() : one.compression;
    array = static_array(path_of(definition, one.name), one.type, names_of(definition, one.dimensions),
                         extents_of(definition, one.dimensions), compression);
    put_numbers(array, *values_of(one, definition), put);
  }
  array.fill_value = one.fill_value;
  array.attributes =
      has_no_fill_value(definition, one) ? one.attributes : with_type(one.type, one.attributes);
  return array;
}

void add_coordinates(const FileDimension& dimension, const std::string& path, const PutFile& put,
                     std::vector<Array>& arrays) {
  if (dimension.coordinates.empty()) return;
  const std::string name = name_in_group(dimension.name);
  Array array = static_array(path, ElementType::float64, {name}, {dimension.size});
  array.chunk = array.extents;
  array.attributes = dimension.attributes;
  put(array.name + "/c/0", bytes_of(dimension.coordinates));
  if (!dimension.bounds.empty()) array.attributes.push_back({"bounds", name + "_bnds"});
  arrays.push_back(std::move(array));
  if (dimension.bounds.empty()) return;
  Array bounds = static_array(path + "_bnds", ElementType::float64, {name, kBounds}, {2, dimension.size});
  bounds.chunk = bounds.extents;
  put(bounds.name + "/c/0/0", bytes_of(dimension.bounds));
  arrays.push_back(std::move(bounds));
}

}  // namespace

std::vector<std::string> names_of(const FileDefinition& definition,
                                  const std::vector<std::uint32_t>& places) {
  std::vector<std::string> names;
  for (auto d = places.rbegin(); d != places.rend(); ++d)
    names.push_back(name_in_group(definition.dimensions[*d].name));
  return names;
}

std::string name_in_group(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::string path_of(const FileDefinition& definition, const std::string& name) {
  const bool is_in_first = definition.levels.count > 1 && name.find('/') == std::string::npos;
  return is_in_first ? "0/" + name : name;
}

std::vector<Index> extents_of(const FileDefinition& definition, const std::vector<std::uint32_t>& places) {
  std::vector<Index> extents;
  for (const std::uint32_t d : places) extents.push_back(definition.dimensions[d].size);
  return extents;
}

/// The value of _FillValue is the type's: see metadata.cpp.
std::vector<FileAttribute> with_type(ElementType type, const std::vector<FileAttribute>& attributes) {
  std::vector<FileAttribute> all = {{"_FillValue", 0.0}};
  if (type == ElementType::boolean) {
    all.push_back({"flag_values", AttributeNumbers{ElementType::boolean, {}, {0, 1}}});
    all.push_back({"flag_meanings", std::string("false true")});
  }
  all.insert(all.end(), attributes.begin(), attributes.end());
  return all;
}

std::vector<Array> write_static_arrays(const FileDefinition& definition, const PutFile& put) {
  std::vector<Array> arrays;
  for (const FileDimension& dimension : definition.dimensions)
    add_coordinates(dimension, path_of(definition, dimension.name), put, arrays);
  for (const FileStatic& one : definition.statics) arrays.push_back(of_static(one, definition, put));
  return arrays;
}

std::vector<Array> arrays_of_axis(const TimeAxis& axis, const std::string& path, Index shard_records) {
  std::vector<Array> arrays = {record_array(path, ElementType::float64, axis.name, {}, {}, shard_records)};
  arrays.front().attributes = axis.attributes;
  if (!axis.has_bounds) return arrays;
  const std::string bounds = axis.name + "_bnds";
  arrays.front().attributes.push_back({axis.is_climatology ? "climatology" : "bounds", bounds});
  arrays.push_back(
      record_array(path + "_bnds", ElementType::float64, axis.name, {kBounds}, {2}, shard_records));
  return arrays;
}

}  // namespace pileus::zarr
