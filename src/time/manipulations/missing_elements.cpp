#include "time/manipulations/missing_elements.h"

#include <cstring>

#include "core/missing.h"

namespace pileus {
namespace {

constexpr auto kMissingFloat = static_cast<float>(kMissing);
constexpr std::int32_t kMissing32 = -2147483647;
constexpr std::int64_t kMissing64 = -9223372036854775806;

template <class T>
void put(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof value);
}

template <class T>
Array with_fill(const Array& array, double missing, T fill) {
  const auto values = array.as<T>();
  auto filled = std::make_shared<std::vector<T>>(values.begin(), values.end());
  for (T& value : *filled) {
    if (static_cast<double>(value) == missing) value = fill;
  }
  const auto* first = reinterpret_cast<const std::byte*>(filled->data());
  return {array.type, array.extents, std::shared_ptr<const std::byte>(filled, first)};
}

}  // namespace

Array with_fill(const Array& array, double given) {
  const double missing = as_stored(given, array.type);
  switch (array.type) {
    case ElementType::float64: return with_fill<double>(array, missing, kMissing);
    case ElementType::float32: return with_fill<float>(array, missing, kMissingFloat);
    case ElementType::int32: return with_fill<std::int32_t>(array, missing, kMissing32);
    case ElementType::int64: return with_fill<std::int64_t>(array, missing, kMissing64);
    case ElementType::boolean:
    case ElementType::character: break;  // have no missing value
  }
  return array;
}

void put_fill(ElementType type, std::byte* element) {
  switch (type) {
    case ElementType::float64: return put(kMissing, element);
    case ElementType::float32: return put(kMissingFloat, element);
    case ElementType::int32: return put(kMissing32, element);
    case ElementType::int64: return put(kMissing64, element);
    case ElementType::boolean:
    case ElementType::character: return put(std::byte{0}, element);
  }
}

std::optional<double> missing_in(const Sample& sample, std::optional<double> missing) {
  const auto* array = std::get_if<Array>(&sample);
  return missing && array ? std::optional(as_stored(*missing, array->type)) : missing;
}

bool is_of_nothing(const Partial& partial) { return partial.is_of_nothing(); }

}  // namespace pileus
