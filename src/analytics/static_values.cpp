#include "analytics/static_values.h"

#include <cstring>

#include "core/error.h"

namespace pileus {
namespace {

Array copy_of(const Array& array) {
  auto bytes =
      std::make_shared<std::vector<std::byte>>(array.bytes.get(), array.bytes.get() + array.size_bytes());
  return {array.type, array.extents, std::shared_ptr<const std::byte>(bytes, bytes->data())};
}

/// Copies what both regions have, line by line. Returns how many elements that is.
Index copy_common(const Region& from, const std::byte* source, const Region& to, std::byte* target,
                  std::size_t size) {
  const Region both = common(from, to);
  if (both.size() == 0) return 0;
  const Index length = both.rank() == 0 ? 1 : both.count[0];
  const auto offset = [&](const Region& region, Index line) {
    Index at = 0, stride = 1;
    for (int d = 0; d < both.rank(); ++d) {
      const Index place = d == 0 ? 0 : line % both.count[d];
      if (d > 0) line /= both.count[d];
      at += (both.start[d] + place - region.start[d]) * stride;
      stride *= region.count[d];
    }
    return static_cast<std::size_t>(at) * size;
  };
  for (Index line = 0; line < both.size() / length; ++line) {
    std::memcpy(target + offset(to, line), source + offset(from, line),
                static_cast<std::size_t>(length) * size);
  }
  return both.size();
}

}  // namespace

Sample assembled(const Region& region, ElementType type, const std::vector<const KeptStatic*>& pieces) {
  const auto size = static_cast<std::size_t>(region.size()) * size_bytes(type);
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  Index found = 0;
  for (const KeptStatic* piece : pieces) {
    const bool is_alike = piece->values.type == type && piece->region.rank() == region.rank();
    if (!is_alike) return Absent{};
    found += copy_common(piece->region, piece->values.bytes.get(), region, bytes->data(), size_bytes(type));
  }
  if (found != region.size() || pieces.empty()) return Absent{};
  return Array{type, region.count, std::shared_ptr<const std::byte>(bytes, bytes->data())};
}

StaticValues::StaticValues(const Plan& plan, ClientRank client, const std::vector<KeptStatic>& kept)
    : plan_(plan), client_(client), values_(plan.fields.size()) {
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const PlannedField& field = plan.fields[f];
    if (!field.is_static || !(field.is_sent_by_all || client == 0)) continue;
    std::vector<const KeptStatic*> pieces;
    for (const KeptStatic& piece : kept) {
      if (piece.field == FieldId(f)) pieces.push_back(&piece);
    }
    const Region region = plan.regions[client][f];
    values_[f] = assembled(region, field.type, pieces);
    // Where all ranks of a server have nothing of the field, the server has read nothing of it.
    if (field.is_kept && region.size() == 0) values_[f] = Array{field.type, region.count, nullptr};
  }
}

Sample StaticValues::take(FieldId field, const Sample& sample) {
  Sample& known = values_[field.index];
  const auto* array = std::get_if<Array>(&sample);
  if (array == nullptr) return known;
  const auto* before = std::get_if<Array>(&known);
  if (before == nullptr) return known = copy_of(*array);
  if (array->size_bytes() == 0 ||
      std::memcmp(before->bytes.get(), array->bytes.get(), array->size_bytes()) == 0)
    return known;
  if (array->type == ElementType::character) return known = copy_of(*array);
  throw UsageError("the static field \"" + plan_[field].name + "\" of model rank " + std::to_string(client_) +
                   " is not what the checkpoint holds, from which the run continues; hand over the same, or "
                   "start afresh");
}

std::vector<KeptStatic> StaticValues::kept() const {
  std::vector<KeptStatic> kept;
  for (std::size_t f = 0; f < values_.size(); ++f) {
    const auto* array = std::get_if<Array>(&values_[f]);
    const bool is_ours = plan_[plan_.fields[f].value].spread == Spread::distributed || client_ == 0;
    const Region& region = plan_.regions[client_][f];
    if (array != nullptr && is_ours && region.size() > 0) kept.push_back({FieldId(f), region, *array});
  }
  return kept;
}

std::size_t StaticValues::size_bytes() const {
  std::size_t bytes = 0;
  for (const Sample& value : values_) {
    if (const auto* array = std::get_if<Array>(&value)) bytes += array->size_bytes();
  }
  return bytes;
}

}  // namespace pileus
