#include "client/put_parts.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {
namespace {

/// Fortran counts from 1, as the names of parts that lack do.
std::string numbered(Index part) {
  const std::string from_1 =
      part < 0 ? std::to_string(part + 1) : std::to_string(static_cast<std::uint64_t>(part) + 1);
  return "part " + from_1 + " (index " + std::to_string(part) + " in C)";
}

}  // namespace

void PutParts::clear() {
  for (auto& [field, came] : came_) {
    came.is_there.assign(came.is_there.size(), false);
    came.count = 0;
  }
}

const PutParts::Came* PutParts::find(int field) const {
  const auto found = came_.find(field);
  return found == came_.end() || found->second.count == 0 ? nullptr : &found->second;
}

bool PutParts::has_any(int field) const { return find(field) != nullptr; }

void PutParts::require_missing(int field, const ModelField& registered, Index part, std::int64_t step) const {
  const std::string of_field = " of field \"" + registered.name + "\"";
  if (registered.type == ElementType::character)
    throw UsageError("pileus_put_part: field \"" + registered.name + "\" holds texts; put them at once");
  if (registered.region.count.empty())
    throw UsageError("pileus_put_part: field \"" + registered.name + "\" is a scalar, which has no parts");
  const Index count = registered.region.count.back();
  if (part < 0 || part >= count)
    throw UsageError("pileus_put_part: there is no " + numbered(part) + of_field + ": this rank holds " +
                     std::to_string(count) + " indices of its last dimension");
  const Came* const came = find(field);
  if (came != nullptr && came->is_there[static_cast<std::size_t>(part)])
    throw UsageError("pileus_put_part: " + numbered(part) + of_field + " was put already in step " +
                     std::to_string(step) + "; put it once in a step");
}

bool PutParts::add(int field, const ModelField& registered, Index part) {
  Came& came = came_[field];
  const Index count = registered.region.count.back();
  came.is_there.resize(static_cast<std::size_t>(count));
  came.is_there[static_cast<std::size_t>(part)] = true;
  return ++came.count == count;
}

std::string PutParts::text(int field, const ModelField& registered) const {
  constexpr std::size_t kMostNamed = 8;
  const Came* const came = find(field);
  if (came == nullptr || came->count == std::ssize(came->is_there)) return registered.name;
  std::vector<std::string> lacking;
  for (std::size_t part = 0; part < came->is_there.size(); ++part)
    if (!came->is_there[part]) lacking.push_back(std::to_string(part + 1));
  const std::string of_all = " of " + std::to_string(came->is_there.size());
  if (lacking.size() == 1) return registered.name + ", part " + lacking[0] + of_all;
  const std::size_t named = std::min(kMostNamed, lacking.size() - 1);
  std::string list = lacking[0];
  for (std::size_t i = 1; i < named; ++i) list += ", " + lacking[i];
  const std::size_t others = lacking.size() - named;
  const std::string last = others == 1 ? lacking.back() : std::to_string(others) + " others";
  return registered.name + ", parts " + list + " and " + last + of_all;
}

}  // namespace pileus
