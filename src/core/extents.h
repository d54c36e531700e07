#pragma once
// A whole number for each dimension of an array: extents, positions or strides, fastest dimension first. It
// is used wherever a box or a shape is kept, and allocates no memory, so that copies are cheap.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "core/error.h"

namespace pileus {

using Index = std::int64_t;

/// The largest number of dimensions of an array.
inline constexpr int kMaxRank = 6;

/// Throws the error for an array with more dimensions than kMaxRank. The Plan has none; bytes from outside
/// may.
[[noreturn]] inline void refuse_dimensions() {
  throw UsageError("an array has more than " + std::to_string(kMaxRank) + " dimensions");
}

class Extents {
 public:
  using value_type = Index;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = Index&;
  using const_reference = const Index&;
  using iterator = Index*;
  using const_iterator = const Index*;

  /// The extents of a scalar.
  Extents() = default;
  /// Errors: UsageError for more than kMaxRank dimensions, as from every function that adds dimensions.
  explicit Extents(std::size_t rank, Index each = 0) { resize(rank, each); }
  Extents(std::initializer_list<Index> values) : Extents(values.begin(), values.end()) {}
  template <std::input_iterator From>
  Extents(From first, From last) {
    for (; first != last; ++first) push_back(*first);
  }
  /// Callers of operators and of the file library have vectors.
  Extents(const std::vector<Index>& values) : Extents(values.begin(), values.end()) {}
  operator std::vector<Index>() const { return {begin(), end()}; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Index* data() { return values_.data(); }
  const Index* data() const { return values_.data(); }
  Index* begin() { return data(); }
  Index* end() { return data() + size_; }
  const Index* begin() const { return data(); }
  const Index* end() const { return data() + size_; }
  Index& operator[](std::size_t d) { return values_[d]; }
  Index operator[](std::size_t d) const { return values_[d]; }
  Index& front() { return values_[0]; }
  Index front() const { return values_[0]; }
  Index& back() { return values_[size_ - 1]; }
  Index back() const { return values_[size_ - 1]; }

  void clear() { size_ = 0; }
  void push_back(Index value) {
    if (size_ == values_.size()) refuse_dimensions();
    values_[size_++] = value;
  }
  void resize(std::size_t rank, Index each = 0) {
    if (rank > values_.size()) refuse_dimensions();
    for (std::size_t d = size_; d < rank; ++d) values_[d] = each;
    size_ = rank;
  }
  void assign(std::size_t rank, Index each) {
    clear();
    resize(rank, each);
  }

  friend bool operator==(const Extents& a, const Extents& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<Index, kMaxRank> values_ = {};
  std::size_t size_ = 0;
};

}  // namespace pileus
