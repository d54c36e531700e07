// instantaneous and none: the record is the sample that ends it.

#include <algorithm>

#include "core/missing.h"
#include "time/window.h"

namespace pileus {
namespace {

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

/// With the fill value of netCDF where the model's own stands.
Array with_fill(const Array& array, double given) {
  const double missing = as_stored(given, array.type);
  switch (array.type) {
    case ElementType::float64: return with_fill<double>(array, missing, kMissing);
    case ElementType::float32: return with_fill<float>(array, missing, static_cast<float>(kMissing));
    case ElementType::int32: return with_fill<std::int32_t>(array, missing, -2147483647);
    case ElementType::int64: return with_fill<std::int64_t>(array, missing, -9223372036854775806);
    case ElementType::boolean:
    case ElementType::character: break;  // have no missing value
  }
  return array;
}

class LastSample : public Window {
 public:
  explicit LastSample(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, double) override { last_ = sample; }

  std::optional<Array> take_record() override {
    std::optional<Array> record;
    if (const auto* array = std::get_if<Array>(&last_)) {
      record = missing_ ? with_fill(*array, *missing_) : *array;
    } else if (!is_absent(last_)) {
      record = make_array(to_doubles(last_, missing_), extents(last_));
    }
    last_ = Absent{};
    return record;
  }

 private:
  std::optional<double> missing_;
  Sample last_;
};

}  // namespace

std::unique_ptr<Window> make_last_sample(std::optional<double> missing) {
  return std::make_unique<LastSample>(missing);
}

}  // namespace pileus
