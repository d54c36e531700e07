#include "time/manipulations/chosen_sample.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "time/manipulations/missing_elements.h"
#include "time/manipulations/state_bytes.h"

namespace pileus {
namespace {

template <class T>
bool is_before(T a, T b) {
  return a < b;
}
bool is_before(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }
bool is_before(float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

template <class T>
bool is_nan(T value) {
  return value != value;
}

enum class Choice : std::uint8_t { smallest, largest, first, last };

/// Of extremes -0 < +0, and a NaN makes its element NaN, as in the reductions. What is missing counts for
/// nothing. The samples of a window keep their type.
class ChosenSample : public Window {
 public:
  ChosenSample(Choice choice, const char* form, std::optional<double> missing)
      : choice_(choice), form_(form), missing_(missing) {}

  void add(const Sample& sample, SampleTime time) override {
    if (time.weight_s <= 0 || is_absent(sample)) return;
    const auto* array = std::get_if<Array>(&sample);
    const Array numbers = array ? *array : make_array(to_doubles(sample, missing_), extents(sample));
    if (!best_) {
      best_ = numbers;
      bytes_ = std::make_shared<std::vector<std::byte>>(numbers.bytes.get(),
                                                        numbers.bytes.get() + numbers.size_bytes());
      best_->bytes = std::shared_ptr<const std::byte>(bytes_, bytes_->data());
      most_bytes_ = std::max(most_bytes_, bytes_->size());
      return;
    }
    if (best_->extents != numbers.extents || best_->type != numbers.type) {
      throw UsageError("the shape of a field has changed within a window");
    }
    switch (numbers.type) {
      case ElementType::float64: return take<double>(numbers);
      case ElementType::float32: return take<float>(numbers);
      case ElementType::int32: return take<std::int32_t>(numbers);
      case ElementType::int64: return take<std::int64_t>(numbers);
      case ElementType::boolean: return take<std::uint8_t>(numbers);
      case ElementType::character: throw UsageError("a text is no number");
    }
  }

  std::optional<Array> take_record(double) override {
    fill_what_lacks();
    bytes_.reset();
    std::optional<Array> record = std::exchange(best_, std::nullopt);
    if (record && missing_) record = with_fill(*record, *missing_);
    return record;
  }

  std::size_t most_bytes() const override { return most_bytes_; }

  std::optional<WindowState> state() const override {
    if (!best_) return std::nullopt;
    return state_of(*best_, form_, lacks_);
  }
  void restore(const Extents& shape, const std::vector<WindowPiece>& pieces) override {
    if (pieces.empty()) return;
    PiecedArray pieced = array_of(shape, pieces, form_);
    best_ = std::move(pieced.array);
    bytes_ = std::move(pieced.bytes);
    lacks_ = std::move(pieced.lacks);
  }

 private:
  void fill_what_lacks() {
    for (std::size_t i = 0; i < lacks_.size(); ++i) {
      if (lacks_[i] != 0) put_fill(best_->type, bytes_->data() + i * size_bytes(best_->type));
    }
    lacks_.clear();
  }

  template <class T>
  void take(const Array& numbers) {
    T* const best = reinterpret_cast<T*>(bytes_->data());
    const std::span<const T> values = numbers.as<T>();
    const std::optional<double> missing = missing_in(numbers, missing_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!lacks_.empty() && std::exchange(lacks_[i], std::uint8_t{0}) != 0) best[i] = values[i];
      if (missing && static_cast<double>(values[i]) == *missing) continue;
      if ((missing && static_cast<double>(best[i]) == *missing) || is_better(values[i], best[i]))
        best[i] = values[i];
    }
  }
  template <class T>
  bool is_better(T value, T best) const {
    if (choice_ == Choice::first || choice_ == Choice::last) return choice_ == Choice::last;
    if (is_nan(best) || is_nan(value)) return !is_nan(best);
    return choice_ == Choice::largest ? is_before(best, value) : is_before(value, best);
  }

  Choice choice_;
  const char* form_;
  std::optional<double> missing_;
  std::optional<Array> best_;
  std::shared_ptr<std::vector<std::byte>> bytes_;  ///< of best_
  std::size_t most_bytes_ = 0;
  std::vector<std::uint8_t> lacks_;  ///< by element: 1 where none was taken, though others were; else empty
};

}  // namespace

std::unique_ptr<Window> make_minimum(bool, std::optional<double> missing) {
  return std::make_unique<ChosenSample>(Choice::smallest, "minimum", missing);
}
std::unique_ptr<Window> make_maximum(bool, std::optional<double> missing) {
  return std::make_unique<ChosenSample>(Choice::largest, "maximum", missing);
}
std::unique_ptr<Window> make_first(bool, std::optional<double> missing) {
  return std::make_unique<ChosenSample>(Choice::first, "first", missing);
}
std::unique_ptr<Window> make_last(bool, std::optional<double> missing) {
  return std::make_unique<ChosenSample>(Choice::last, "last", missing);
}

}  // namespace pileus
