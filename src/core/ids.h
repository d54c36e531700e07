#pragma once
// Small integer ids of the things in the Plan. Names are resolved to ids once, before the first step
// (architecture D1).

#include <cstdint>
#include <functional>

namespace pileus {

template <class Tag>
struct Id {
  std::uint32_t index = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  constexpr bool is_valid() const { return index != UINT32_MAX; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using DimensionId = Id<struct DimensionTag>;
using GroupId = Id<struct GroupTag>;
using FieldId = Id<struct FieldTag>;
using ValueId = Id<struct ValueTag>;
using RuleId = Id<struct RuleTag>;
using FileId = Id<struct FileTag>;
using ScheduleId = Id<struct ScheduleTag>;
using VariableId = Id<struct VariableTag>;

/// A model rank, counted from 0 over all model ranks.
using ClientRank = std::uint32_t;
/// A server, counted from 0 over all servers.
using ServerRank = std::uint32_t;

/// A component of a coupled model, counted from 0. A run is that of one.
using ComponentId = Id<struct ComponentTag>;
inline constexpr ComponentId kOnlyComponent(0);

}  // namespace pileus

template <class Tag>
struct std::hash<pileus::Id<Tag>> {
  std::size_t operator()(pileus::Id<Tag> id) const noexcept { return id.index; }
};
