// How a model rank hands a field over in a step: whole, in parts, or as texts. Where several threads put,
// each claims its field first and then copies, without a lock.

#include <algorithm>
#include <cstdint>
#include <string>

#include "client/client.h"
#include "client/extracts.h"
#include "client/field_copy.h"
#include "client/texts.h"
#include "core/error.h"

namespace pileus {
namespace {

void require_not_null(const ModelField& field, const void* first) {
  if (first == nullptr && field.region.size() > 0)
    throw UsageError("pileus_put: the array of field \"" + field.name + "\" is NULL");
}

/// Where a part of the field begins in a dense array.
Index bytes_before(Index part, const ModelField& field, ElementType type) {
  Index bytes = part * static_cast<Index>(size_bytes(type));
  for (std::size_t d = 0; d + 1 < field.region.count.size(); ++d) bytes *= field.region.count[d];
  return bytes;
}

/// Servers take what they read as it lies: without anything between the elements, and points in their order.
/// Truth values are made 0 and 1, and static fields are copied in any case.
bool can_be_lent(const ModelField& field, const StridedArray& array) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(array.first) % size_bytes(array.type) == 0;
  return is_aligned && is_dense(array) && array.type != ElementType::boolean && !field.is_static &&
         !field.points;
}

}  // namespace

/// Nothing has come of the field as a whole.
const ModelField& Client::require_not_put(int field) const {
  require_order(Call::put, state_);
  const ModelField& registered = require_field(Call::put, field);
  if (puts_.came(field) != Puts::Came::whole) return registered;
  throw UsageError("pileus_put: field \"" + registered.name + "\" was put already in step " +
                   std::to_string(step_.done()) +
                   (puts_.is_from_threads() ? ", or another thread puts it now" : "") +
                   "; put it once in a step");
}

void Client::claim_whole(int field) {
  const Puts::Came before = puts_.claim(field, Puts::Came::whole);
  if (before == Puts::Came::nothing) return;
  const ModelField& registered = require_not_put(field);
  throw UsageError("pileus_put: field \"" + registered.name + "\" comes in parts in step " +
                   std::to_string(step_.done()) + "; put its other parts with pileus_put_part");
}

template <class Write>
void Client::write_places(int field, Write write) {
  for (const FieldRoute& route : routes_.fields[static_cast<std::size_t>(field)]) {
    Group& group = groups_[route.group];
    if (!group.is_chosen[route.place]) continue;
    if (!group.parcel.has_slot()) {
      const auto before = link_.waited_for_room();
      claim_slot(route.group);
      waited_in_put_ += link_.waited_for_room() - before;
    }
    write(group.parcel, route);
  }
}

template <class Write>
void Client::write_whole(int field, Write write) {
  try {
    write_places(field, write);
  } catch (...) {
    for (const FieldRoute& route : routes_.fields[static_cast<std::size_t>(field)]) {
      Group& group = groups_[route.group];
      if (group.is_chosen[route.place]) group.parcel.take_out(route.place);
    }
    puts_.give_back(field);
    throw;
  }
  puts_.note(field);
}

std::unique_lock<std::mutex> Client::lock_parts() {
  std::unique_lock lock(parts_mutex_, std::defer_lock);
  if (puts_.is_from_threads()) lock.lock();
  return lock;
}

void Client::require_missing_part(int field, Index part) {
  if (registration_[field].points) counts_of_part(field);
  const auto lock = lock_parts();
  parts_.require_missing(field, registration_[field], part, step_.done());
}

/// Returns whether all parts are claimed with this one.
bool Client::claim_part(int field, Index part) {
  const auto lock = lock_parts();
  parts_.require_missing(field, registration_[field], part, step_.done());
  if (puts_.claim(field, Puts::Came::in_parts) == Puts::Came::whole) require_not_put(field);
  return parts_.add(field, registration_[field], part);
}

void Client::put(int field, const StridedArray& array, Lasting lasting) {
  const Puts::Turn turn(puts_);
  require_order(Call::put, state_);
  const ModelField& registered = require_field(Call::put, field);
  if (array.type == ElementType::character && registered.type == ElementType::character) {
    const bool has_characters = !array.counts.empty() && array.counts[0] != 0;
    if (has_characters) require_not_null(registered, array.first);
    return send_array_of_texts(field, array);
  }
  const Extents& counts = registration_.own_array(field).counts;
  if (array.type != registered.type || !std::ranges::equal(array.counts, counts))
    throw UsageError("pileus_put: field \"" + registered.name + "\" was registered as " +
                     kind_text(registered.type, counts) + ", the array is " +
                     kind_text(array.type, array.counts));
  require_not_put(field);
  send_whole(field, array, lasting);
}

void Client::put(int field, const void* first, const Index* byte_strides, Lasting lasting) {
  const Puts::Turn turn(puts_);
  const ModelField& registered = require_not_put(field);
  const Extents& counts = registration_.own_array(field).counts;
  StridedArray array{static_cast<const std::byte*>(first), registered.type, counts, {}};
  if (byte_strides != nullptr) array.byte_strides = {byte_strides, counts.size()};
  if (registered.type != ElementType::character) return send_whole(field, array, lasting);
  require_not_null(registered, first);
  send_array_of_texts(field, array);
}

/// Of the array that has one index of the last dimension.
/// Errors: UsageError if that is one of the points'. REQUIRES: the field is no scalar.
std::span<const Index> Client::counts_of_part(int field) const {
  const OwnArray& own = registration_.own_array(field);
  const std::size_t last = own.counts.size() - 1;
  if ((own.along >> last & 1) == 0) return std::span(own.counts).first(last);
  throw UsageError("pileus_put_part: the last dimension of field \"" + registration_[field].name +
                   "\" is that of its points, which have no parts; put the field at once");
}

void Client::put_part(int field, Index part, const StridedArray& array) {
  const Puts::Turn turn(puts_);
  require_order(Call::put, state_);
  const ModelField& registered = require_field(Call::put, field);
  require_missing_part(field, part);
  const std::span counts = counts_of_part(field);
  if (array.type != registered.type || !std::ranges::equal(array.counts, counts))
    throw UsageError("pileus_put_part: a part of field \"" + registered.name + "\" is " +
                     kind_text(registered.type, counts) + ", the array is " +
                     kind_text(array.type, array.counts));
  send_part(field, part, array);
}

void Client::put_part(int field, Index part, const void* first, const Index* byte_strides) {
  const Puts::Turn turn(puts_);
  const ModelField& registered = require_not_put(field);
  require_missing_part(field, part);
  const std::span counts = counts_of_part(field);
  StridedArray array{static_cast<const std::byte*>(first), registered.type, counts, {}};
  if (byte_strides != nullptr) array.byte_strides = {byte_strides, counts.size()};
  send_part(field, part, array);
}

void Client::send_array_of_texts(int field, const StridedArray& array) {
  const std::vector<std::string_view> texts = texts_of(registration_[field], array);
  require_texts(require_not_put(field), texts);
  send_texts(field, texts);
}

void Client::put_texts(int field, std::span<const std::string_view> texts) {
  const Puts::Turn turn(puts_);
  require_texts(require_not_put(field), texts);
  send_texts(field, texts);
}

void Client::put_map(int field, std::span<const std::string_view> keys_and_values) {
  const Puts::Turn turn(puts_);
  require_map(require_not_put(field), keys_and_values);
  send_texts(field, keys_and_values);
}

void Client::send_whole(int field, const StridedArray& array, Lasting lasting) {
  require_not_null(registration_[field], array.first);
  claim_whole(field);
  const Puts::Watch watch(puts_);
  const bool may_lend = lasting == Lasting::until_next_step && can_be_lent(registration_[field], array);
  FieldCopy copy = copy_of(field, array);
  write_whole(field, [&](ParcelWriter& parcel, const FieldRoute& route) {
    copy.prepare();
    if (route.extracts != nullptr)
      return write_all_extracts(as_handed_over(field, array, copy), parcel, route);
    if (may_lend && route.wire_type == array.type && lend(parcel, route.place, array)) return;
    copy(route.wire_type, parcel.place(route.place));
  });
}

/// Of the array of a field, or of one of its parts.
FieldCopy Client::copy_of(int field, const StridedArray& array) const {
  if (!registration_[field].points) return {array, nullptr, 0};
  return {array, &registration_.points_of(field), registration_.own_array(field).along};
}

/// The array itself, or of a field on points a copy that lives until the field's next put.
StridedArray Client::as_handed_over(int field, const StridedArray& array, const FieldCopy& copy) {
  if (!copy.is_of_points()) return array;
  std::byte* const gathered = gathered_place(field);
  copy(array.type, gathered);
  return {gathered, array.type, registration_[field].region.count, {}};
}

/// It looks for the array first, as that may be what makes messages stay.
bool Client::lend(ParcelWriter& parcel, std::uint32_t place, const StridedArray& array) {
  if (!parcel.may_lend(place)) return false;
  const auto bytes = static_cast<std::size_t>(Region{{}, {array.counts.begin(), array.counts.end()}}.size()) *
                     size_bytes(array.type);
  const std::optional<Lending::Place> found = lending_.find(array.first, bytes);
  if (!found || !parcel.stays()) return false;
  parcel.lend(place, array.first, found->memory, found->offset);
  return true;
}

/// A part that is claimed counts as there, so all memory comes before the claim.
void Client::send_part(int field, Index part, const StridedArray& array) {
  const ModelField& registered = require_not_put(field);
  require_not_null(registered, array.first);
  const Puts::Watch watch(puts_);
  std::byte* gathered = nullptr;
  FieldCopy copy = copy_of(field, array);
  write_places(field, [&](ParcelWriter&, const FieldRoute& route) {
    copy.prepare();
    if (route.extracts != nullptr) gathered = gathered_place(field);
  });
  const bool is_whole = claim_part(field, part);
  write_places(field, [&](ParcelWriter& parcel, const FieldRoute& route) {
    if (route.extracts != nullptr) return;
    std::byte* const first = is_whole ? parcel.place(route.place) : parcel.part_place(route.place);
    copy(route.wire_type, first + bytes_before(part, registered, route.wire_type));
  });
  if (gathered != nullptr) copy(registered.type, gathered + bytes_before(part, registered, registered.type));
  if (is_whole) puts_.note(field);
}

/// Without memory for what they are made of nothing of the field is in the parcel.
void Client::write_all_extracts(const StridedArray& array, ParcelWriter& parcel,
                                const FieldRoute& route) const {
  write_extracts(array, *route.extracts, *tracker_, parcel.part_place(route.place));
  parcel.place(route.place, Held::extracts);
}

/// Where its parts are gathered. Other threads may be putting some.
std::byte* Client::gathered_place(int field) {
  const ModelField& registered = registration_[field];
  const auto lock = lock_parts();
  std::vector<std::byte>& gathered = gathered_[field];
  gathered.resize(static_cast<std::size_t>(registered.region.size()) * size_bytes(registered.type));
  return gathered.data();
}

/// What has come in parts and is whole. REQUIRES: no put is under way.
void Client::extract_gathered() {
  for (const auto& [field, bytes] : gathered_) {
    if (!parts_.has_any(field) || puts_.came(field) != Puts::Came::whole) continue;
    const ModelField& registered = registration_[field];
    const StridedArray array{bytes.data(), registered.type, registered.region.count, {}};
    write_places(field, [&](ParcelWriter& parcel, const FieldRoute& route) {
      if (route.extracts != nullptr) write_all_extracts(array, parcel, route);
    });
  }
}

void Client::send_texts(int field, std::span<const std::string_view> texts) {
  claim_whole(field);
  const Puts::Watch watch(puts_);
  write_whole(field, [&](ParcelWriter& parcel, const FieldRoute& route) {
    copy_texts(texts, registration_[field].region.count, reinterpret_cast<char*>(parcel.place(route.place)));
  });
}

}  // namespace pileus
