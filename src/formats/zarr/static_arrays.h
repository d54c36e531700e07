#pragma once
// What is in a store from its beginning: coordinates, their bounds, static variables.

#include <functional>
#include <string>
#include <vector>

#include "formats/format.h"
#include "formats/zarr/array.h"

namespace pileus::zarr {

/// Takes a file of the store, below it, and its bytes.
using PutFile = std::function<void(const std::string& name, std::span<const std::byte> bytes)>;

/// Hands over the chunks of all of them, and returns their arrays. Errors: those of reading values.
std::vector<Array> write_static_arrays(const FileDefinition& definition, const PutFile& put);

/// The arrays of an axis: its times, which lie at `path`, their bounds where it has some.
std::vector<Array> arrays_of_axis(const TimeAxis& axis, const std::string& path, Index shard_records);

/// Where an array of this name lies below the store: in the group of its level, where there are some.
std::string path_of(const FileDefinition& definition, const std::string& name);
/// The name within that group.
std::string name_in_group(const std::string& name);

/// The names of a variable's dimensions, slowest first, and its extents, fastest first.
std::vector<std::string> names_of(const FileDefinition& definition, const std::vector<std::uint32_t>& places);
std::vector<Index> extents_of(const FileDefinition& definition, const std::vector<std::uint32_t>& places);

/// What readers need to know of a variable's type, and its own attributes.
std::vector<FileAttribute> with_type(ElementType type, const std::vector<FileAttribute>& attributes);

}  // namespace pileus::zarr
