#include "sweeps/sweep_fields.h"

#include <algorithm>
#include <variant>

#include "loops/sweep_loops.h"

namespace pileus {

void SweepFields::take(const std::vector<ValueId>& fields, const std::vector<Sample>& values,
                       std::size_t tile_size) {
  fields_.clear();
  tile_size_ = tile_size;
  for (const ValueId id : fields) {
    const auto& array = std::get<Array>(values[id.index]);
    Field& field = fields_.emplace_back();
    if (array.type == ElementType::float32) {
      field.floats = array.as<float>().data();
    } else {
      field.doubles = array.as<double>().data();
    }
  }
  const bool has_floats = std::ranges::any_of(fields_, [](const Field& field) { return field.floats; });
  widened_.resize(has_floats ? fields_.size() * tile_size_ : 0);
}

const double* SweepFields::read(std::size_t field, Index first_element, Index elements) {
  Field& read = fields_[field];
  if (read.floats == nullptr) return read.doubles + first_element;
  double* const tile = &widened_[field * tile_size_];
  if (read.widened != first_element)
    detail::sweep_loops().widen(read.floats + first_element, tile, static_cast<std::size_t>(elements));
  read.widened = first_element;
  return tile;
}

void SweepFields::copy(std::size_t field, Index first_element, Index stride, std::span<double> out) const {
  const auto copy_from = [&](const auto* values) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = values[first_element + static_cast<Index>(i) * stride];
  };
  const Field& copied = fields_[field];
  copied.floats != nullptr ? copy_from(copied.floats) : copy_from(copied.doubles);
}

}  // namespace pileus
