#include "capi/arguments.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/error.h"
#include "start/components.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {
namespace {

/// The settings as the first version knew them.
constexpr std::size_t kSmallestSettings = offsetof(pileus_settings, servers_ratio);

/// The settings of a caller whose header may be older or newer than ours.
pileus_settings understood(const pileus_settings* given) {
  require(given, "pileus_start", "settings");
  pileus_settings known = PILEUS_SETTINGS_INIT;
  if (given->size < kSmallestSettings || given->size > 64 * sizeof known)
    throw UsageError("pileus_start: the settings have a size of " + std::to_string(given->size) +
                     " bytes; initialise them with PILEUS_SETTINGS_INIT");
  const std::size_t size = std::min(sizeof known, given->size);
  const auto* first = reinterpret_cast<const unsigned char*>(given);
  const bool has_unknown =
      std::any_of(first + size, first + given->size, [](unsigned char byte) { return byte != 0; });
  if (has_unknown)
    throw UsageError("pileus_start: the settings hold something that this library, version " +
                     std::string(pileus_version()) + ", does not know; use a newer one");
  std::memcpy(&known, given, size);
  return known;
}

/// At most one of them may be asked for. Numbers that make no sense are refused later, on all ranks.
std::string mistake_in_servers(const pileus_settings& given) {
  const int asked = (given.servers_ratio != 0) + (given.servers_per_node != 0) +
                    (given.servers_per_socket != 0) + (given.servers_per_numa != 0) +
                    (given.servers_total != 0);
  if (asked <= 1) return "";
  return "pileus_start: the settings have more than one of servers_ratio, servers_per_node, "
         "servers_per_socket, servers_per_numa and servers_total; set one and leave the others 0";
}

SessionSettings session_settings(const pileus_settings& given, bool can_serve) {
  SessionSettings settings;
  if (given.configuration != nullptr) settings.configuration = given.configuration;
  if (given.directory != nullptr) settings.directory = given.directory;
  if (given.has_communicator) settings.communicator = given.communicator;
  settings.servers = {given.servers_ratio, given.servers_per_node, given.servers_total,
                      given.servers_per_socket, given.servers_per_numa};
  if (given.describe_model != nullptr) settings.describe_model = given.describe_model;
  if (given.component != nullptr) settings.component = given.component;
  settings.mistake = mistake_in_servers(given);
  const std::string mistake = mistake_in_component(settings.component);
  if (settings.mistake.empty() && !mistake.empty()) settings.mistake = "pileus_start: " + mistake;
  settings.can_serve = can_serve;
  return settings;
}

}  // namespace

void require(const void* pointer, const char* call, const char* what) {
  if (pointer == nullptr) throw UsageError(std::string(call) + ": " + what + " is NULL");
}

SessionSettings understood_session(const pileus_settings* given, bool can_serve) {
  try {
    return session_settings(understood(given), can_serve);
  } catch (const UsageError& error) {
    tell_mistake_at_end(error.what());
    throw;
  }
}

ElementType element_type(const char* call, int type) {
  switch (type) {
    case PILEUS_DOUBLE: return ElementType::float64;
    case PILEUS_FLOAT: return ElementType::float32;
    case PILEUS_INT32: return ElementType::int32;
    case PILEUS_INT64: return ElementType::int64;
    case PILEUS_BOOL: return ElementType::boolean;
    case PILEUS_TEXT: return ElementType::character;
  }
  throw UsageError(std::string(call) + ": there is no type " + std::to_string(type) +
                   "; it is PILEUS_DOUBLE, _FLOAT, _INT32, _INT64, _BOOL or _TEXT");
}

void require_rank(const char* call, int rank) {
  if (rank < 0 || rank > kMaxRank)
    throw UsageError(std::string(call) + ": the rank is " + std::to_string(rank) + "; it may be 0 to " +
                     std::to_string(kMaxRank));
}

StridedArray array_of(const char* call, int type, int rank, const int64_t* count, const void* first,
                      const int64_t* byte_strides) {
  require_rank(call, rank);
  if (rank > 0) require(count, call, "count");
  const auto dimensions = static_cast<std::size_t>(rank);
  StridedArray array{static_cast<const std::byte*>(first), element_type(call, type), {}, {}};
  if (rank > 0) array.counts = {count, dimensions};
  if (rank > 0 && byte_strides != nullptr) array.byte_strides = {byte_strides, dimensions};
  return array;
}

ModelField model_field(const char* call, const char* name, int type, int rank, const char* const* dimensions,
                       const int64_t* start, const int64_t* count) {
  require(name, call, "the name");
  require_rank(call, rank);
  if (rank > 0) require(count, call, "count");
  ModelField field{name, element_type(call, type), {}, {}};
  for (int d = 0; dimensions != nullptr && d < rank; ++d) {
    require(dimensions[d], call, "the name of a dimension");
    field.dimensions.emplace_back(dimensions[d]);
  }
  if (rank > 0) field.region.count = Extents(count, count + rank);
  if (rank > 0 && start != nullptr) field.region.start = Extents(start, start + rank);
  return field;
}

std::vector<std::string_view> texts(const char* call, int64_t count,
                                    std::initializer_list<const char* const*> lists) {
  if (count < 0) throw UsageError(std::string(call) + ": there are " + std::to_string(count) + " of them");
  for (const char* const* list : lists)
    if (count > 0) require(list, call, "the list");
  std::vector<std::string_view> all;
  for (int64_t i = 0; i < count; ++i) {
    for (const char* const* list : lists) {
      require(list[i], call, ("text " + std::to_string(i)).c_str());
      all.emplace_back(list[i]);
    }
  }
  return all;
}

}  // namespace pileus
