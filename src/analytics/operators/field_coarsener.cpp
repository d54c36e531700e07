// field_coarsener: every period-th point of some dimensions, counted by global index from 0, so that where
// one model rank ends and the next begins makes no difference. Values are copied, not averaged.

#include <algorithm>
#include <cstring>

#include "pileus/operator.hpp"

namespace pileus::operators {
namespace {

/// Of any period: index + period may be too large a number.
Index rounded_up(Index index, Index period) { return index / period + (index % period == 0 ? 0 : 1); }

/// By dimension of the field: every how many points one is kept.
class Coarsening {
 public:
  explicit Coarsening(std::vector<Index> periods) : periods_(std::move(periods)) {}

  Region region(const Region& field) const {
    Region made = field;
    for (std::size_t d = 0; d < periods_.size(); ++d) {
      made.start[d] = rounded_up(field.start[d], periods_[d]);
      made.count[d] = rounded_up(field.start[d] + field.count[d], periods_[d]) - made.start[d];
      // A part without points may lie behind the last one.
      if (made.count[d] == 0) made.start[d] = 0;
    }
    return made;
  }

  /// REQUIRES: the part has points of the result.
  Picked picked(const Region& field) const {
    const Region made = region(field);
    Picked picked{{}, made.count, periods_};
    for (std::size_t d = 0; d < periods_.size(); ++d)
      picked.first.push_back(made.start[d] * periods_[d] - field.start[d]);
    return picked;
  }

  void copy(const Part& field, const ResultPart& result) const {
    const std::size_t size = size_bytes(field.type), rank = periods_.size();
    const auto* from = static_cast<const std::byte*>(field.first);
    auto* to = static_cast<std::byte*>(result.first);
    std::vector<Index> position(rank, 0);
    for (Index i = 0; i < result.region.size(); ++i, to += size) {
      Index offset = 0, stride = 1;
      for (std::size_t d = 0; d < rank; ++d) {
        offset += ((result.region.start[d] + position[d]) * periods_[d] - field.region.start[d]) * stride;
        stride *= field.region.count[d];
      }
      std::memcpy(to, from + static_cast<std::size_t>(offset) * size, size);
      for (std::size_t d = 0; d < rank && ++position[d] == result.region.count[d]; ++d) position[d] = 0;
    }
  }

 private:
  std::vector<Index> periods_;
};

/// "x_every_4", or "x_16" by its size, with the coordinates of its points. Fields that are coarsened alike
/// share it.
Dimension coarsened(const Dimension& fine, Index period, bool is_named_by_size) {
  Dimension coarse{fine.name + "_every_" + std::to_string(period), kUnknownSize, {}, fine.units};
  if (fine.size == kUnknownSize) return coarse;
  coarse.size = rounded_up(fine.size, period);
  if (is_named_by_size) coarse.name = fine.name + "_" + std::to_string(coarse.size);
  for (std::size_t i = 0; i < fine.coordinates.size(); i += static_cast<std::size_t>(period)) {
    coarse.coordinates.push_back(fine.coordinates[i]);
  }
  return coarse;
}

Prepared prepare_coarsener(const Rule& rule) {
  Prepared prepared;
  prepared.result = rule.input("field");
  const std::vector<std::string> names = rule.list("dimension");
  const std::vector<Index> wanted = rule.whole_numbers("period");
  if (names.size() != wanted.size()) {
    throw ParameterError("period", std::to_string(wanted.size()) + " periods for " +
                                       std::to_string(names.size()) + " dimensions; each needs its own");
  }
  std::vector<Index> periods(prepared.result.dimensions.size(), 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto axis = static_cast<std::size_t>(rule.axis("dimension", rule.input("field"), names[i]));
    if (wanted[i] < 1) throw ParameterError("period", "a period is at least 1");
    if (std::ranges::count(names, names[i]) > 1)
      throw ParameterError("dimension", "\"" + names[i] + "\" is there twice");
    periods[axis] = wanted[i];
    if (wanted[i] > 1)
      prepared.result.dimensions[axis] =
          coarsened(rule.input("field").dimensions[axis], wanted[i], rule.text("named_by") == "size");
  }
  const Coarsening coarsening(std::move(periods));
  prepared.region = [coarsening](const std::vector<Region>& inputs) { return coarsening.region(inputs[0]); };
  prepared.compute = [coarsening](const std::vector<Part>& inputs, const ResultPart& result) {
    coarsening.copy(inputs[0], result);
  };
  prepared.picks = [coarsening](const Region& field) { return coarsening.picked(field); };
  return prepared;
}

}  // namespace

Operator field_coarsener() {
  return {"field_coarsener",
          "Takes every period-th point of some dimensions, from the first; the new dimension is "
          "\"x_every_4\", with the coordinates of its points.",
          {{"field", ParameterKind::name, true, "", {}, "the field or result that is coarsened"},
           {"dimension", ParameterKind::names, true, "", {}, "the dimensions, for example \"y,x\""},
           {"period", ParameterKind::whole_numbers, true, "", {}, "the period of each, for example \"4,4\""},
           {"named_by",
            ParameterKind::word,
            false,
            "period",
            {"period", "size"},
            "period: \"x_every_4\"; size: \"x_16\", as in MONC"}},
          prepare_coarsener,
          true};
}

}  // namespace pileus::operators
