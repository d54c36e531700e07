#include "math/sample.h"

namespace pileus {
namespace {

template <class T>
std::vector<double> widened(const Array& array) {
  const auto values = array.as<T>();
  return {values.begin(), values.end()};
}

std::vector<double> widened(const Array& array) {
  switch (array.type) {
    case ElementType::float64: return widened<double>(array);
    case ElementType::float32: return widened<float>(array);
    case ElementType::int32: return widened<std::int32_t>(array);
    case ElementType::int64: return widened<std::int64_t>(array);
    case ElementType::boolean: return widened<std::int8_t>(array);
    case ElementType::character: break;  // the Plan lets nobody ask for the numbers of a text
  }
  return {};
}

}  // namespace

bool is_sole_owner(const std::shared_ptr<const Partials>& values) {
  if (values.use_count() != 1) return false;
  // The count alone is read without order; to let go of a copy is ordered behind all who let go before.
  std::shared_ptr<const Partials>(values).reset();
  return true;
}

std::vector<double> to_doubles(const Sample& sample, std::optional<double> missing) {
  if (const auto* array = std::get_if<Array>(&sample)) return widened(*array);
  return std::get<PartialArray>(sample).values->values(missing);
}

Extents extents(const Sample& sample) {
  if (const auto* array = std::get_if<Array>(&sample)) return array->extents;
  return std::get<PartialArray>(sample).extents;
}

}  // namespace pileus
