#pragma once
// Which part of each field each model rank holds. Fields that lie alike have one column together, so this
// grows with the ranks and the ways in which fields lie on them, but not with the fields.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/region.h"

namespace pileus {

/// The regions of one field, by rank.
class RankColumn {
 public:
  explicit RankColumn(const std::vector<Region>& regions);

  std::size_t size() const { return ranks_; }
  Region operator[](std::size_t rank) const;
  friend bool operator==(const RankColumn&, const RankColumn&) = default;

 private:
  std::size_t ranks_ = 0;
  std::size_t width_ = 0;       ///< the most dimensions that any of them has
  std::vector<Index> numbers_;  ///< by rank and dimension: start and count
};

class RankRegions {
 public:
  using Column = std::shared_ptr<const RankColumn>;

  RankRegions() = default;
  explicit RankRegions(std::size_t ranks) : ranks_(ranks) {}
  /// By rank and field. REQUIRES: each rank has as many.
  RankRegions(const std::vector<std::vector<Region>>& regions);

  /// What one rank holds, by field.
  class Row {
   public:
    Row(const std::vector<Column>& columns, std::size_t rank) : columns_(columns), rank_(rank) {}
    std::size_t size() const { return columns_.size(); }
    Region operator[](std::size_t field) const { return (*columns_[field])[rank_]; }

   private:
    const std::vector<Column>& columns_;
    std::size_t rank_;
  };

  /// The number of ranks.
  std::size_t size() const { return ranks_; }
  Row operator[](std::size_t rank) const { return {columns_, rank}; }
  Row front() const { return (*this)[0]; }

  /// The regions of one more field. REQUIRES: of as many ranks.
  void add(Column column) { columns_.push_back(std::move(column)); }
  const Column& column(std::size_t field) const { return columns_[field]; }
  void set_column(std::size_t field, Column column) { columns_[field] = std::move(column); }
  /// Replaces one region, in a column that the field has for itself from then on.
  void set(std::size_t rank, std::size_t field, const Region& region);

 private:
  std::size_t ranks_ = 0;
  std::vector<Column> columns_;  ///< by field
};

}  // namespace pileus
