// Weights of another grid of the same size would give numbers that look right. So where a file says where its
// source points lie, these are compared with the model's in the first step that is regridded.

#include <numbers>

#include "core/error.h"
#include "core/place.h"
#include "plan/held_regions.h"
#include "regrid/regridder.h"

namespace pileus {
namespace {

double number(const Array& array, Index i) {
  return array.type == ElementType::float32
             ? static_cast<double>(array.as<float>()[static_cast<std::size_t>(i)])
             : array.as<double>()[static_cast<std::size_t>(i)];
}

/// A model may have radians.
bool is_same_in_degrees_or_radians(const Place& model, const Place& file) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  return is_same_place(model, file) ||
         is_same_place({model.latitude * kDegrees, model.longitude * kDegrees}, file);
}

bool is_floating_array(const Sample& sample) {
  const auto* const array = std::get_if<Array>(&sample);
  return array != nullptr && (array->type == ElementType::float64 || array->type == ElementType::float32);
}

}  // namespace

/// Numbers within the rank's box, each as often as streams need it.
std::vector<Index> Regridder::points_needed_of(std::size_t layout, ClientRank client) const {
  std::vector<Index> points;
  for (ServerRank to = 0; to < plan_.layout.servers; ++to) {
    for (const RegridPart& part : directory_.outgoing(group_, layout, client, to)) {
      for (const PlaceRun& run : part.runs)
        for (Index i = run.first; i < run.end(); ++i) points.push_back(i);
    }
  }
  return points;
}

/// Of points that nothing is made of, the places do not matter. Where coordinates are spread over the ranks
/// in another way than the field, a rank cannot tell.
void Regridder::compare_places(ClientRank client, const RegridSamples& samples) {
  for (const RegridSample& one : samples) {
    const std::size_t layout = known(one.rule).layout;
    const auto known_places = places_.find({layout, client});
    if (known_places == places_.end() || one.places.size() < 2 || !is_floating_array(one.places[0]) ||
        !is_floating_array(one.places[1]))
      continue;
    const PlacesOfBox file = std::move(known_places->second);
    places_.erase(known_places);
    const Region& box = directory_.box(group_, layout, client);
    const std::vector<Region> regions = regions_of_client(plan_, client);
    const std::vector<ValueId>& inputs = plan_[one.rule].inputs;
    if (regions[inputs[1].index] != box || regions[inputs[2].index] != box) continue;
    const auto &latitude = std::get<Array>(one.places[0]), &longitude = std::get<Array>(one.places[1]);
    for (const Index i : points_needed_of(layout, client)) {
      const auto at = static_cast<std::size_t>(i);
      const Place model{number(latitude, i), number(longitude, i)}, weights{file[0][at], file[1][at]};
      if (is_same_in_degrees_or_radians(model, weights)) continue;
      throw UsageError(known(one.rule).how->file +
                       ": these are weights of another grid: a point of theirs lies at " + text(weights) +
                       ", and on model rank " + std::to_string(client) + " it lies at " + text(model) +
                       "; make them anew with \"pileus weights\"");
    }
  }
}

}  // namespace pileus
