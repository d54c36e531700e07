#pragma once
// How the elements of a sweep's domain lie, and the tiles in which a sweep passes over them.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/region.h"
#include "loops/sweep_loops.h"

namespace pileus {

inline std::size_t as_size(Index index) { return static_cast<std::size_t>(index); }

/// Each cell of the domain is reduced by itself.
struct SweepShape {
  /// A tile of a few fields, and what is made of them, stays in the first cache or close to it.
  static constexpr Index kTileElements = 1024;
  /// Of a cell whose elements lie together: running sums side by side.
  static constexpr Index kLanes = 16;
  /// More would not stay in a cache with all sums.
  static constexpr Index kMostCells = 512;

  Index cells = 1;
  Index length = 1;  ///< elements of a cell
  /// Neighbours in memory are of neighbouring cells; otherwise a cell's elements lie together.
  bool are_cells_side_by_side = false;

  /// A run of elements that share running sums: those of all cells, or of one.
  struct Band {
    Index first_element = 0, elements = 0;
    Index first_cell = 0, cells = 0;
  };

  Index size() const { return cells * length; }
  /// Running sums of a band.
  std::size_t columns() const { return static_cast<std::size_t>(are_cells_side_by_side ? cells : kLanes); }
  /// The elements of a cell are first + i * stride.
  Index first_of(Index cell) const { return are_cells_side_by_side ? cell : cell * length; }
  Index stride() const { return are_cells_side_by_side ? cells : 1; }

  /// At most, of a tile.
  Index tile_elements() const {
    constexpr Index kFewestRows = 8;
    return are_cells_side_by_side ? std::max(kTileElements / cells, kFewestRows) * cells : kTileElements;
  }

  std::vector<Band> bands() const {
    if (are_cells_side_by_side) return {{0, size(), 0, cells}};
    std::vector<Band> bands;
    for (Index cell = 0; cell < cells; ++cell) bands.push_back({cell * length, length, cell, 1});
    return bands;
  }

  /// Calls visit(first element, elements) for each tile.
  template <class Visit>
  void for_each_tile(const Band& band, const Visit& visit) const {
    const Index most = tile_elements();
    for (Index done = 0; done < band.elements; done += most)
      visit(band.first_element + done, std::min(most, band.elements - done));
  }

  /// Calls visit(offset, tile): whole rows of the columns, and what is left of a last one.
  template <class Visit>
  void for_each_piece(Index elements, const Visit& visit) const {
    const auto count = static_cast<std::size_t>(elements);
    const std::size_t whole = count / columns(), left = count % columns();
    if (whole > 0) visit(std::size_t{0}, detail::SweepTile{whole, columns()});
    if (left > 0) visit(whole * columns(), detail::SweepTile{1, left});
  }
};

}  // namespace pileus
