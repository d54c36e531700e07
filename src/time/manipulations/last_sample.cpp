#include "time/manipulations/last_sample.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "time/manipulations/missing_elements.h"
#include "time/manipulations/state_bytes.h"
#include "time/window.h"

namespace pileus {
namespace {

std::optional<Array> numbers_of(const Sample& sample, std::optional<double> missing) {
  if (const auto* array = std::get_if<Array>(&sample)) return *array;
  if (is_absent(sample)) return std::nullopt;
  return make_array(to_doubles(sample, missing), extents(sample));
}

Array copy_of(const Array& array) {
  auto bytes = std::make_shared<Bytes>(array.bytes.get(), array.bytes.get() + array.size_bytes());
  return {array.type, array.extents, {bytes, bytes->data()}};
}

template <class T>
void put_as(double number, std::byte* element) {
  const auto value = static_cast<T>(number);
  std::memcpy(element, &value, sizeof value);
}

/// The number that stands for no value among the samples, or that of files where there is none.
void put_nothing(ElementType type, std::optional<double> missing, std::byte* element) {
  if (missing && type == ElementType::float64) return put_as<double>(*missing, element);
  if (missing && type == ElementType::float32) return put_as<float>(*missing, element);
  if (missing && type == ElementType::int32) return put_as<std::int32_t>(*missing, element);
  if (missing && type == ElementType::int64) return put_as<std::int64_t>(*missing, element);
  put_fill(type, element);
}

/// What pieces of states have of a sample. A rank that handed nothing over has none.
std::optional<Array> pieced(const Extents& shape, const std::vector<WindowPiece>& pieces,
                            std::optional<double> missing) {
  if (pieces.empty()) return std::nullopt;
  const PiecedArray all = array_of(shape, pieces, "sample");
  const std::size_t size = size_bytes(all.array.type);
  for (std::size_t i = 0; i < all.lacks.size(); ++i)
    if (all.lacks[i] != 0) put_nothing(all.array.type, missing, all.bytes->data() + i * size);
  return all.array;
}

class LastSample : public Window {
 public:
  explicit LastSample(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, SampleTime) override { last_ = sample; }

  std::optional<Array> take_record(double) override {
    return numbers_of(std::exchange(last_, Absent{}), missing_);
  }

  /// A sample is that of the step: nothing of it is copied.
  std::size_t most_bytes() const override { return 0; }

  /// Every sample that it keeps ends its record, so between two steps there is most often nothing.
  std::optional<WindowState> state() const override {
    const std::optional<Array> array = numbers_of(last_, missing_);
    if (!array) return std::nullopt;
    return state_of(*array, "sample");
  }
  void restore(const Extents& shape, const std::vector<WindowPiece>& pieces) override {
    if (auto array = pieced(shape, pieces, missing_)) last_ = std::move(*array);
  }

 private:
  std::optional<double> missing_;
  Sample last_;
};

class KeptSample : public Window {
 public:
  explicit KeptSample(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, SampleTime) override {
    const auto* const array = std::get_if<Array>(&sample);
    keep(array != nullptr ? copy_of(*array) : numbers_of(sample, missing_));
  }
  std::optional<Array> take_record(double) override { return std::exchange(kept_, std::nullopt); }
  std::size_t most_bytes() const override { return most_bytes_; }
  std::optional<WindowState> state() const override {
    return kept_ ? std::optional(state_of(*kept_, "sample")) : std::nullopt;
  }
  void restore(const Extents& shape, const std::vector<WindowPiece>& pieces) override {
    keep(pieced(shape, pieces, missing_));
  }

 private:
  void keep(std::optional<Array> array) {
    kept_ = std::move(array);
    if (kept_) most_bytes_ = std::max(most_bytes_, kept_->size_bytes());
  }

  std::optional<double> missing_;
  std::optional<Array> kept_;
  std::size_t most_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Window> make_last_sample(bool, std::optional<double> missing) {
  return std::make_unique<LastSample>(missing);
}

std::unique_ptr<Window> make_kept_sample(std::optional<double> missing) {
  return std::make_unique<KeptSample>(missing);
}

}  // namespace pileus
