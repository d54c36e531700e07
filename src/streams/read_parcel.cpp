#include "streams/read_parcel.h"

#include <cstring>
#include <new>
#include <vector>

#include "client/frames.h"
#include "core/error.h"
#include "plan/points.h"
#include "streams/lent_array.h"
#include "streams/read_extracts.h"

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

/// REQUIRES: the entry lies in the message, whose memory is this process's to write, as its sender says.
/// Errors: TransportError if nothing can be lent so.
std::shared_ptr<LentArray> lent_array(const FieldEntry& entry, const std::shared_ptr<const Message>& message,
                                      const Lender* lender) {
  const std::span<const std::byte> bytes = message->bytes();
  const std::uint64_t fields = read_at<ParcelHeader>(bytes, 0).field_count;
  const std::uint64_t at = first_loan(fields) + kLoanBytes * entry.loan();
  if (lender == nullptr || at + kLoanBytes > bytes.size()) throw TransportError("there is no loan of it");
  auto* const first = const_cast<std::byte*>(bytes.data());
  Loan& loan = *std::launder(reinterpret_cast<Loan*>(first + at));
  const std::span place(first + entry.offset, static_cast<std::size_t>(entry.size_bytes));
  return std::make_shared<LentArray>(message, loan, lender->bytes_of(loan, place.size()), place);
}

/// The bytes of a parcel of one rank, as they are read.
struct Reading {
  const Plan& plan;
  ClientRank client;
  const FieldExtracts& extracts;
  const Lender* lender;
  std::shared_ptr<const Message> message;
  std::uint64_t first_place = 0;  ///< behind header and entries

  [[noreturn]] void refuse_field(FieldId field, const std::string& why) const {
    refuse(client, why + " of \"" + plan[field].name + "\"");
  }
  void add_whole(FieldId field, const FieldEntry& entry, Parcel& parcel) const {
    Array array{plan[field].type, handed_over(plan, client, field), nullptr};
    if (entry.size_bytes != array.size_bytes()) refuse_field(field, "holds a wrong size");
    try {
      if (entry.is_lent()) parcel.lent.emplace_back(parcel.fields.size(), lent_array(entry, message, lender));
    } catch (const TransportError& error) {
      refuse(client, "lends \"" + plan[field].name + "\" where it cannot: " + error.what());
    }
    array.bytes = std::shared_ptr<const std::byte>(message, message->bytes().data() + entry.offset);
    parcel.fields.emplace_back(field, std::move(array));
  }
  void add_extracts(FieldId field, const FieldEntry& entry, Parcel& parcel) const {
    const auto known = extracts.find(field);
    if (known == extracts.end()) refuse_field(field, "holds extracts that nobody wants");
    const auto place = message->bytes().subspan(entry.offset, entry.size_bytes);
    const auto wrong = read_extracts(plan, client, field, known->second, place, message, parcel);
    if (wrong) refuse_field(field, *wrong);
  }
  void add(FieldId field, const FieldEntry& entry, Parcel& parcel) const {
    if (entry.held == Held::nothing) {
      parcel.fields.emplace_back(field, Absent{});
      return;
    }
    const std::uint64_t end = message->bytes().size();
    const bool is_inside = entry.offset >= first_place && entry.size_bytes <= end &&
                           entry.offset <= end - entry.size_bytes && entry.offset % kFieldAlignment == 0;
    if (!is_inside) refuse_field(field, "holds a wrong place");
    if (entry.held == Held::extracts) return add_extracts(field, entry, parcel);
    add_whole(field, entry, parcel);
  }
};

}  // namespace

Parcel ParcelReader::read(ClientRank client, std::shared_ptr<const Message> message, const Lender* lender) {
  auto known = extracts_.find(client);
  if (known == extracts_.end()) known = extracts_.emplace(client, extracts_of(plan_, client)).first;
  return read_parcel(plan_, client, known->second, std::move(message), lender);
}

Parcel read_parcel(const Plan& plan, ClientRank client, const FieldExtracts& extracts,
                   std::shared_ptr<const Message> message, const Lender* lender) {
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
  const Reading reading{plan,
                        client,
                        extracts,
                        lender,
                        std::move(message),
                        sizeof(ParcelHeader) + header.field_count * sizeof(FieldEntry)};
  std::vector<bool> was_seen(group.fields.size(), false);
  for (std::uint32_t i = 0; i < header.field_count; ++i) {
    const auto entry = read_at<FieldEntry>(bytes, sizeof(ParcelHeader) + i * sizeof(FieldEntry));
    if (entry.field >= group.fields.size()) refuse(client, "holds an unknown field");
    const FieldId field = group.fields[entry.field];
    if (was_seen[entry.field]) refuse(client, "holds \"" + plan[field].name + "\" twice");
    was_seen[entry.field] = true;
    reading.add(field, entry, parcel);
  }
  return parcel;
}

}  // namespace pileus
