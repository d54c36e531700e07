#include "time/window_bundle.h"

#include <algorithm>
#include <utility>

namespace pileus {

WindowBundle::WindowBundle(const Bundle& bundle, std::vector<ExactWindow*> windows)
    : bundle_(bundle), windows_(std::move(windows)) {
  for (const double factor : bundle.multiply) factor_.multiply(factor);
  for (const double divisor : bundle.divide) factor_.divide(divisor);
  std::size_t size = 0;
  for (const Bundle::Member& member : bundle.members) {
    firsts_.push_back(size);
    size += member.size;
  }
  sums_ = WeightedMeans(size);
}

void WindowBundle::add(const Partials& values, double weight_s) {
  if (weight_s <= 0) return;
  Partials scaled = values;
  scaled.set_factor(factor_);
  has_sample_ = true;
  sums_.add(weight_s, scaled);
  most_bytes_ = std::max(most_bytes_, sums_.memory_bytes());
}

void WindowBundle::part() {
  if (std::exchange(is_apart_, true) || !std::exchange(has_sample_, false)) return;
  for (std::size_t m = 0; m < windows_.size(); ++m)
    windows_[m]->go_on_from(bundle_.members[m].extents, slice(m));
  sums_ = WeightedMeans(sums_.size());  // memory for all is that of the members' windows now
}

void WindowBundle::come_together() {
  if (!std::exchange(is_apart_, false)) return;
  for (ExactWindow* const window : windows_) window->let_go();
}

Sample WindowBundle::sample(const BundleValues& values, std::size_t m) const {
  if (!values.together && values.apart.empty()) return Absent{};
  std::optional<Partials> scaled;
  Extents extents = bundle_.members[m].extents;
  if (values.together) {
    SumColumns sums = values.together->sums().copy_of(firsts_[m], bundle_.members[m].size);
    scaled.emplace(bundle_.reduction, values.together->common_count().value_or(0), std::move(sums));
  } else if (const auto* partials = std::get_if<PartialArray>(&values.apart[m])) {
    scaled = *partials->values;
    extents = partials->extents;
  } else {
    return Absent{};
  }
  for (const double factor : bundle_.multiply) scaled->multiply(factor);
  for (const double divisor : bundle_.divide) scaled->divide(divisor);
  return PartialArray{extents, std::make_shared<Partials>(*std::move(scaled))};
}

std::vector<Array> WindowBundle::take_records() {
  if (!std::exchange(has_sample_, false)) return {};
  const auto all = std::make_shared_for_overwrite<double[]>(sums_.size());
  windows_.front()->round(sums_, {all.get(), sums_.size()});
  sums_.clear();
  std::vector<Array> records;
  records.reserve(size());
  for (std::size_t m = 0; m < size(); ++m) {
    const auto* first = reinterpret_cast<const std::byte*>(all.get() + firsts_[m]);
    records.push_back(
        {ElementType::float64, bundle_.members[m].extents, std::shared_ptr<const std::byte>(all, first)});
  }
  return records;
}

WindowState WindowBundle::state(std::size_t m) const {
  return windows_[m]->state_of(bundle_.members[m].extents, slice(m));
}

}  // namespace pileus
