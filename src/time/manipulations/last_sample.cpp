// instantaneous and none: the record is the sample that ends it.

#include "time/window.h"

namespace pileus {
namespace {

class LastSample : public Window {
 public:
  explicit LastSample(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, double) override { last_ = sample; }

  std::optional<Array> take_record() override {
    std::optional<Array> record;
    if (const auto* array = std::get_if<Array>(&last_)) {
      record = *array;
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
