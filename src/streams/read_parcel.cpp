#include "streams/read_parcel.h"

#include <cstring>
#include <new>
#include <vector>

#include "client/frames.h"
#include "core/error.h"
#include "streams/lent_array.h"

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

/// The array of the entry without its bytes. Errors: TransportError if these do not lie in the message.
Array array_in(const Message& message, const Plan& plan, ClientRank client, FieldId field,
               const FieldEntry& entry) {
  Array array{plan[field].type, plan.regions[client][field.index].count, nullptr};
  const std::size_t size = message.bytes().size();
  const std::uint64_t fields = read_at<ParcelHeader>(message.bytes(), 0).field_count;
  const bool is_inside = entry.offset >= sizeof(ParcelHeader) + fields * sizeof(FieldEntry) &&
                         entry.size_bytes <= size && entry.offset <= size - entry.size_bytes;
  if (!is_inside || entry.size_bytes != array.size_bytes() || entry.offset % kFieldAlignment != 0)
    refuse(client, "holds a wrong size of \"" + plan[field].name + "\"");
  return array;
}

/// REQUIRES: the entry lies in the message, whose memory is this process's to write, as its sender says.
/// Errors: TransportError if nothing can be lent so.
std::shared_ptr<LentArray> lent_array(const FieldEntry& entry, const std::shared_ptr<const Message>& message,
                                      const Lender* lender) {
  const std::span<const std::byte> bytes = message->bytes();
  const std::uint64_t fields = read_at<ParcelHeader>(bytes, 0).field_count;
  const std::uint64_t at = first_loan(fields) + kLoanBytes * (entry.is_present - FieldEntry::kFirstLoan);
  if (lender == nullptr || at + kLoanBytes > bytes.size()) throw TransportError("there is no loan of it");
  auto* const first = const_cast<std::byte*>(bytes.data());
  Loan& loan = *std::launder(reinterpret_cast<Loan*>(first + at));
  const std::span place(first + entry.offset, static_cast<std::size_t>(entry.size_bytes));
  return std::make_shared<LentArray>(message, loan, lender->bytes_of(loan, place.size()), place);
}

}  // namespace

Parcel read_parcel(const Plan& plan, ClientRank client, std::shared_ptr<const Message> message,
                   const Lender* lender) {
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
    if (entry.is_present == FieldEntry::kAbsent) {
      parcel.fields.emplace_back(field, Absent{});
      continue;
    }
    Array array = array_in(*message, plan, client, field, entry);
    try {
      if (entry.is_lent()) parcel.lent.emplace_back(parcel.fields.size(), lent_array(entry, message, lender));
    } catch (const TransportError& error) {
      refuse(client, "lends \"" + plan[field].name + "\" where it cannot: " + error.what());
    }
    array.bytes = std::shared_ptr<const std::byte>(message, bytes.data() + entry.offset);
    parcel.fields.emplace_back(field, std::move(array));
  }
  return parcel;
}

}  // namespace pileus
