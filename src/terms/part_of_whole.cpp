#include "terms/part_of_whole.h"

#include <utility>

#include "core/missing.h"

namespace pileus::planning {
namespace {

/// Calls visit(i, j) for element i of a part, which is element j of the whole.
template <class Visit>
void for_each_element(const operators::Region& part, const operators::Region& whole, const Visit& visit) {
  std::vector<Index> at = part.start;
  for (Index i = 0; i < part.size(); ++i) {
    Index j = 0, stride = 1;
    for (std::size_t d = 0; d < at.size(); ++d) {
      j += at[d] * stride;
      stride *= whole.count[d];
    }
    visit(i, j);
    for (std::size_t d = 0; d < at.size() && ++at[d] == part.start[d] + part.count[d]; ++d)
      at[d] = part.start[d];
  }
}

template <class T>
void copy(const operators::Part& whole, const operators::ResultPart& part, std::optional<double> missing) {
  const auto from = whole.as<double>();
  const auto to = part.as<T>();
  for_each_element(part.region, whole.region, [&](Index i, Index j) {
    const double value = from[static_cast<std::size_t>(j)];
    to[static_cast<std::size_t>(i)] = static_cast<T>(missing && value == kMissing ? *missing : value);
  });
}

void copy(const operators::Part& whole, const operators::ResultPart& part, std::optional<double> missing) {
  switch (part.type) {
    case operators::Type::float64: return copy<double>(whole, part, missing);
    case operators::Type::float32: return copy<float>(whole, part, missing);
    case operators::Type::int32: return copy<std::int32_t>(whole, part, missing);
    case operators::Type::boolean: return copy<std::uint8_t>(whole, part, missing);
    case operators::Type::int64: return;  // no plan asks for it
  }
}

}  // namespace

std::shared_ptr<const operators::Prepared> part_of_whole(operators::Quantity result, std::vector<int> axes) {
  auto prepared = std::make_shared<operators::Prepared>();
  prepared->compute = [missing = result.missing](const std::vector<operators::Part>& inputs,
                                                 const operators::ResultPart& part) {
    copy(inputs[0], part, missing);
  };
  prepared->region = [axes = std::move(axes)](const std::vector<operators::Region>& inputs) {
    operators::Region part;
    for (const int axis : axes) {
      part.start.push_back(inputs[1].start[static_cast<std::size_t>(axis)]);
      part.count.push_back(inputs[1].count[static_cast<std::size_t>(axis)]);
    }
    return part;
  };
  prepared->result = std::move(result);
  return prepared;
}

}  // namespace pileus::planning
