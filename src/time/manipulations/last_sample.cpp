#include "time/manipulations/last_sample.h"

#include "time/manipulations/state_bytes.h"
#include "time/window.h"

namespace pileus {
namespace {

class LastSample : public Window {
 public:
  explicit LastSample(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, SampleTime) override { last_ = sample; }

  std::optional<Array> take_record(double) override {
    std::optional<Array> record = numbers();
    last_ = Absent{};
    return record;
  }

  /// A sample is that of the step: nothing of it is copied.
  std::size_t most_bytes() const override { return 0; }

  /// Every sample that it keeps ends its record, so between two steps there is most often nothing.
  std::optional<WindowState> state() const override {
    const std::optional<Array> array = numbers();
    if (!array) return std::nullopt;
    return state_of(*array, "sample");
  }
  void restore(const Extents& shape, const std::vector<WindowPiece>& pieces) override {
    if (!pieces.empty()) last_ = array_of(shape, pieces, "sample").array;
  }

 private:
  std::optional<Array> numbers() const {
    if (const auto* array = std::get_if<Array>(&last_)) return *array;
    if (is_absent(last_)) return std::nullopt;
    return make_array(to_doubles(last_, missing_), extents(last_));
  }

  std::optional<double> missing_;
  Sample last_;
};

}  // namespace

std::unique_ptr<Window> make_last_sample(bool, std::optional<double> missing) {
  return std::make_unique<LastSample>(missing);
}

}  // namespace pileus
