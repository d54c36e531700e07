#include "streams/read_extracts.h"

#include <cstring>
#include <exception>
#include <utility>

namespace pileus {
namespace {

/// The result of a rule that reads the Partials that have come.
PartialArray as_result_of(const Plan& plan, ValueId value, const Extents& extents, const Partials& partials) {
  const Reduction reduction = plan.reduction_of(value);
  return {extents, std::make_shared<const Partials>(
                       partials.reduction() == reduction ? partials : partials.as(reduction))};
}

class ExtractsReader {
 public:
  ExtractsReader(const Plan& plan, FieldId field, std::span<const std::byte> bytes,
                 const std::shared_ptr<const void>& owner, Parcel& parcel)
      : plan_(plan), field_(field), bytes_(bytes), owner_(owner), parcel_(parcel) {}

  bool add_partials(const Extract& extract, const ExtractDemand& demand, const ExtractEntry& entry) {
    std::span<const std::byte> in = bytes_.subspan(entry.offset, entry.size_bytes);
    const auto size = static_cast<std::size_t>(Region{{}, demand.extents}.size());
    const Partials partials = Partials::decode(in, size);
    if (!in.empty() || partials.reduction() != demand.reduction || !partials.factor().is_one()) return false;
    for (const ValueId value : extract.values)
      parcel_.made.emplace_back(value, as_result_of(plan_, value, demand.extents, partials));
    return true;
  }

  bool add_elements(const Extract& extract, const ExtractDemand& demand, const ExtractEntry& entry) {
    Array array{demand.type, demand.extents, nullptr};
    if (entry.size_bytes != array.size_bytes()) return false;
    array.bytes = std::shared_ptr<const std::byte>(owner_, bytes_.data() + entry.offset);
    const ValueId value = extract.values[0];
    if (value == plan_[field_].value) {
      parcel_.fields.emplace_back(field_, std::move(array));
    } else {
      parcel_.made.emplace_back(value, std::move(array));
    }
    return true;
  }

 private:
  const Plan& plan_;
  FieldId field_;
  std::span<const std::byte> bytes_;
  const std::shared_ptr<const void>& owner_;
  Parcel& parcel_;
};

}  // namespace

std::optional<std::string> read_extracts(const Plan& plan, ClientRank client, FieldId id,
                                         const std::vector<ExtractDemand>& extracts,
                                         std::span<const std::byte> bytes,
                                         const std::shared_ptr<const void>& owner, Parcel& parcel) {
  const Extents& part = plan.regions[client][id.index].count;
  const std::vector<std::uint64_t> offsets = extract_offsets(extracts, part);
  if (extracts.empty() || bytes.size() != offsets.back()) return "holds extracts of a wrong size";
  ExtractsReader reader(plan, id, bytes, owner, parcel);
  for (std::size_t i = 0; i < extracts.size(); ++i) {
    ExtractEntry entry;
    std::memcpy(&entry, bytes.data() + i * sizeof entry, sizeof entry);
    if (entry.offset == 0) continue;
    if (entry.offset != offsets[i] || entry.size_bytes > offsets.back() - offsets[i])
      return "holds an extract in a wrong place";
    const Extract& extract = plan[id].extracts[i];
    try {
      const bool is_right = extracts[i].is_reduced ? reader.add_partials(extract, extracts[i], entry)
                                                   : reader.add_elements(extract, extracts[i], entry);
      if (!is_right) return "holds an extract that is not what was wanted";
    } catch (const std::invalid_argument& error) {
      return std::string("holds a damaged extract (") + error.what() + ")";
    }
  }
  return std::nullopt;
}

}  // namespace pileus
