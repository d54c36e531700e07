#include "time/manipulations/exact_window.h"

#include <algorithm>

namespace pileus {

void ExactWindow::begin(const Extents& shape) {
  if (extents_ && *extents_ != shape) throw UsageError("the shape of a field has changed within a window");
  if (extents_) return;
  extents_ = shape;
  const auto size = static_cast<std::size_t>(Region{{}, shape}.size());
  if (sums_.size() != size) sums_ = WeightedMeans(size);
}

void ExactWindow::add(const Sample& sample, SampleTime time) {
  const double weight_s = time.weight_s;
  if (weight_s <= 0 || is_absent(sample)) return;
  begin(extents(sample));
  const auto* array = std::get_if<Array>(&sample);
  if (array == nullptr) {
    sums_.add(weight_s, *std::get<PartialArray>(sample).values, missing_);
  } else {
    const std::optional<double> missing = missing_in(sample, missing_);
    switch (array->type) {
      case ElementType::float64:
        sums_.add(weight_s, std::span<const double>(array->as<double>()), missing);
        break;
      case ElementType::int64:
        sums_.add(weight_s, std::span<const std::int64_t>(array->as<std::int64_t>()), missing);
        break;
      case ElementType::float32:
      case ElementType::int32:
      case ElementType::boolean:
      case ElementType::character:
        sums_.add(weight_s, std::span<const double>(to_doubles(sample)), missing);
        break;
    }
  }
  most_bytes_ = std::max(most_bytes_, sums_.memory_bytes());
}

std::optional<Array> ExactWindow::take_record(double) {
  if (!extents_) return std::nullopt;
  auto [record, values] = make_doubles(*std::exchange(extents_, std::nullopt));
  round(sums_, values);
  sums_.clear();
  return std::move(record);
}

void ExactWindow::round(const WeightedMeans& sums, std::span<double> values) const {
  result_ == Result::mean ? sums.means(kMissing, values) : sums.totals(kMissing, values);
}

void ExactWindow::go_on_from(const Extents& shape, WeightedMeans sums) {
  extents_ = shape;
  sums_ = std::move(sums);
  most_bytes_ = std::max(most_bytes_, sums_.memory_bytes());
}

// Each element: whether it has a sample, then its mean.
std::optional<WindowState> ExactWindow::state() const {
  return extents_ ? std::optional(state_of(*extents_, sums_)) : std::nullopt;
}

WindowState ExactWindow::state_of(const Extents& shape, const WeightedMeans& sums) const {
  WindowState kept{form_, shape, {}, 0, {}, {}};
  Bytes element;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    element.assign(1, std::byte{sums.has_sample(i)});
    sums[i].encode(element);
    kept.add(element);
  }
  return kept;
}

void ExactWindow::restore(const Extents& extents, const std::vector<WindowPiece>& pieces) {
  begin(extents);
  for (const WindowPiece& piece : pieces) {
    require_form(piece, form_);
    for_each_element(piece, extents, [&](std::size_t place, std::span<const std::byte> bytes) {
      require_whole(!bytes.empty());
      const bool has_sample = bytes[0] != std::byte{0};
      bytes = bytes.subspan(1);
      ExactWeightedMean mean = decode_weighted_mean(bytes);
      require_whole(bytes.empty());
      if (has_sample) sums_.set(place, std::move(mean));
    });
  }
}

}  // namespace pileus
