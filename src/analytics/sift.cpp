#include "analytics/sift.h"

#include <algorithm>

#include "core/missing.h"
#include "math/partials.h"

namespace pileus {
namespace {

/// Goes through a part row by row, along its fastest dimension, so that the pick is asked once for many
/// elements.
class Sifter {
 public:
  Sifter(const Pick& pick, const SiftedPart& from)
      : pick_(pick),
        from_(from),
        rank_(from.extents.size()),
        result_strides_(rank_),
        place_strides_(rank_),
        position_(rank_) {
    if (from.missing) missing_ = as_stored(*from.missing, from.part.type);
    Index place_stride = 1, result_stride = 1;
    for (std::size_t d = 0; d < rank_; ++d) {
      const bool is_reduced = std::ranges::count(from.axes, static_cast<int>(d)) > 0;
      (is_reduced ? place_strides_ : result_strides_)[d] = is_reduced ? place_stride : result_stride;
      (is_reduced ? place_stride : result_stride) *= from.extents[d];
      if (!is_reduced) result_extents_.push_back(from.extents[d]);
    }
    partials_.assign(static_cast<std::size_t>(result_stride), Partial(pick.reduction));
  }

  PartialArray sifted() {
    const std::vector<double> numbers = to_doubles(from_.part);
    const auto length = static_cast<std::size_t>(from_.held.count[0]);
    for (std::size_t first = 0; first < numbers.size(); first += length) {
      read_row({numbers.data() + first, length});
      add_row();
      next_row();
    }
    return {result_extents_, std::make_shared<Partials>(pick_.reduction, partials_)};
  }

 private:
  /// Where an element of the row lies in the result, in the dimensions that are reduced, and in what it is
  /// compared with.
  struct Offsets {
    Index target = 0, place = 0, compared = 0;
  };

  Offsets offsets_of_row() const {
    Offsets offsets{0, 0, from_.compared ? from_.compared->offset : 0};
    for (std::size_t d = 0; d < rank_; ++d) {
      offsets.target += (from_.held.start[d] + position_[d]) * result_strides_[d];
      offsets.place += (from_.held.start[d] + position_[d]) * place_strides_[d];
      if (from_.compared) offsets.compared += position_[d] * from_.compared->strides[d];
    }
    return offsets;
  }

  void read_row(std::span<const double> row) {
    numbers_.clear(), compared_.clear(), places_.clear(), targets_.clear();
    Offsets at = offsets_of_row();
    const auto compared = from_.compared ? from_.compared->array.as<double>() : std::span<const double>();
    for (const double number : row) {
      if (number != missing_) {
        numbers_.push_back(number);
        places_.push_back(static_cast<double>(at.place));
        targets_.push_back(static_cast<std::size_t>(at.target));
        if (from_.compared) compared_.push_back(compared[static_cast<std::size_t>(at.compared)]);
      }
      at.target += result_strides_[0];
      at.place += place_strides_[0];
      if (from_.compared) at.compared += from_.compared->strides[0];
    }
  }

  void add_row() {
    picked_.assign(numbers_.size(), kMissing);
    pick_.pick({numbers_, compared_, places_}, picked_);
    for (std::size_t i = 0; i < picked_.size(); ++i) {
      if (picked_[i] != kMissing) partials_[targets_[i]].add(picked_[i]);
    }
  }

  void next_row() {
    for (std::size_t d = 1; d < rank_ && ++position_[d] == from_.held.count[d]; ++d) position_[d] = 0;
  }

  const Pick& pick_;
  const SiftedPart& from_;
  std::size_t rank_;
  std::optional<double> missing_;
  Extents result_strides_, place_strides_;  ///< of neighbours in each dimension: how far apart; 0: not there
  Extents result_extents_;
  Extents position_;  ///< of the row in the part
  std::vector<Partial> partials_;
  std::vector<double> numbers_, compared_, places_, picked_;  ///< of the row
  std::vector<std::size_t> targets_;                          ///< by element of the row: its result
};

}  // namespace

PartialArray sift(const Pick& pick, const SiftedPart& from) { return Sifter(pick, from).sifted(); }

}  // namespace pileus
