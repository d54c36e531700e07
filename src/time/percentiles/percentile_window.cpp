#include "time/percentiles/percentile_window.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/missing.h"
#include "time/manipulations/missing_elements.h"
#include "time/manipulations/state_bytes.h"

namespace pileus {
namespace {

constexpr const char* kFormOfPercentiles = "numbers in order";

}  // namespace

void PercentileWindow::begin(const Extents& shape) {
  if (extents_ && *extents_ != shape) throw UsageError("the shape of a field has changed within a window");
  extents_ = shape;
  const auto size = static_cast<std::size_t>(Region{{}, shape}.size());
  if (sketches_.size() != size) sketches_ = distributions::Sketches(size);
}

void PercentileWindow::add(const Sample& sample, SampleTime time) {
  if (time.weight_s <= 0 || is_absent(sample)) return;
  begin(pileus::extents(sample));
  has_sample_ = true;
  const auto* const array = std::get_if<Array>(&sample);
  if (array != nullptr && array->type == ElementType::float64)
    return sketches_.add(array->as<double>(), missing_in(sample, missing_));
  const bool has_nothing = array == nullptr && missing_.has_value();
  const std::vector<double> values = to_doubles(sample, has_nothing ? std::optional(kMissing) : std::nullopt);
  sketches_.add(values, has_nothing ? kMissing : missing_in(sample, missing_));
}

std::optional<Array> PercentileWindow::take_record(double) {
  if (!std::exchange(has_sample_, false)) return std::nullopt;
  most_bytes_ = most_bytes();
  std::vector<double> values(sketches_.size());
  sketches_.quantiles(share_, kMissing, values);
  sketches_.clear();
  return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
}

std::size_t PercentileWindow::most_bytes() const {
  return std::max(most_bytes_, sketches_.allocated_bytes());
}

std::optional<WindowState> PercentileWindow::state() const {
  if (!extents_) return std::nullopt;
  WindowState kept{kFormOfPercentiles, *extents_, {}, 0, {}, {}};
  Bytes element;
  for (std::size_t i = 0; i < sketches_.size(); ++i) {
    element.assign(1, std::byte{0});
    element[0] = std::byte{sketches_.encode(i, element)};
    kept.add(element);
  }
  return kept;
}

void PercentileWindow::restore(const Extents& extents, const std::vector<WindowPiece>& pieces) {
  begin(extents);
  has_sample_ = true;
  for (const WindowPiece& piece : pieces) {
    require_form(piece, kFormOfPercentiles);
    for_each_element(piece, extents, [&](std::size_t place, std::span<const std::byte> bytes) {
      require_whole(!bytes.empty());
      bytes = bytes.subspan(1);
      sketches_.decode(place, bytes);
      require_whole(bytes.empty());
    });
  }
}

}  // namespace pileus
