#pragma once
// Values of an input that lie on other points than the model's: each of the model's is a sum over points of
// the file, by the weights of a file of weights.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/region.h"
#include "core/regridding.h"

namespace pileus {

/// The points of the model that a rank holds, and what they are made of.
struct InputLinks {
  Region box;     ///< of the file's points that are read, over its dimensions of these
  LinkRows rows;  ///< by point of the rank; sources are positions in the box
  std::size_t size_bytes() const {
    return rows.begin.size() * 8 + rows.source.size() * 8 + rows.weight.size() * 8;
  }
};

/// Reads rows of weights between so many points. Errors: UsageError if the file has no such.
using ReadInputLinks = std::function<LinkRows(const std::string& path, Index source_size, Index target_size,
                                              Index first, Index count)>;

/// `source`: sizes of the file's dimensions of points; `target`: of the model's, both fastest first. `held`:
/// of these what the rank holds. Errors: UsageError as `read`.
InputLinks input_links(const std::string& path, const std::vector<Index>& source,
                       const std::vector<Index>& target, const Region& held, const ReadInputLinks& read);

/// Sums weight times value, in the order of the links, in each of so many layers. A point without links has
/// no value (NaN), nor has one that is made of a value that is missing. REQUIRES: `values` has whole boxes.
std::vector<double> regridded(const InputLinks& links, std::span<const double> values, std::size_t layers);

}  // namespace pileus
