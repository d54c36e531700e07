#include "streams/read_parcel.h"

#include <cstring>
#include <vector>

#include "client/frames.h"
#include "core/error.h"

namespace pileus {
namespace {

[[noreturn]] void refuse(ClientRank client, const std::string& why) {
  throw TransportError("model rank " + std::to_string(client) + " sent a parcel that " + why);
}

template <class T>
T read_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace

Parcel read_parcel(const Plan& plan, ClientRank client, std::shared_ptr<const Message> message) {
  const std::span<const std::byte> bytes = message->bytes();
  if (bytes.size() < sizeof(ParcelHeader)) refuse(client, "ends early");
  const auto header = read_at<ParcelHeader>(bytes, 0);
  if (header.kind != FrameKind::parcel) refuse(client, "is none");
  if (header.group >= plan.groups.size()) refuse(client, "is of an unknown group");
  const PlannedGroup& group = plan.groups[header.group];
  if (header.field_count > group.fields.size() ||
      bytes.size() < sizeof(ParcelHeader) + header.field_count * sizeof(FieldEntry)) {
    refuse(client, "ends early");
  }

  Parcel parcel{GroupId(header.group), header.step, header.start_time_s, {}};
  parcel.fields.reserve(header.field_count);
  std::vector<bool> was_seen(group.fields.size(), false);
  for (std::uint32_t i = 0; i < header.field_count; ++i) {
    const auto entry = read_at<FieldEntry>(bytes, sizeof(ParcelHeader) + i * sizeof(FieldEntry));
    if (entry.field >= group.fields.size()) refuse(client, "holds an unknown field");
    const FieldId field = group.fields[entry.field];
    if (was_seen[entry.field]) refuse(client, "holds \"" + plan[field].name + "\" twice");
    was_seen[entry.field] = true;
    if (entry.is_present == 0) {
      parcel.fields.emplace_back(field, Absent{});
      continue;
    }
    Array array{plan[field].type, plan.regions[client][field.index].count, nullptr};
    const std::size_t first_place = sizeof(ParcelHeader) + header.field_count * sizeof(FieldEntry);
    const bool is_inside = entry.offset >= first_place && entry.size_bytes <= bytes.size() &&
                           entry.offset <= bytes.size() - entry.size_bytes;
    if (!is_inside || entry.size_bytes != array.size_bytes() || entry.offset % kFieldAlignment != 0) {
      refuse(client, "holds a wrong size of \"" + plan[field].name + "\"");
    }
    array.bytes = std::shared_ptr<const std::byte>(message, bytes.data() + entry.offset);
    parcel.fields.emplace_back(field, std::move(array));
  }
  return parcel;
}

}  // namespace pileus
