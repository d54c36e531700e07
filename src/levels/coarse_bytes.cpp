#include "levels/coarse_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "levels/block_means.h"

namespace pileus {
namespace {

/// A row is all of one index of the slowest dimension.
template <class T>
class CoarseBytes : public ByteSource {
 public:
  CoarseBytes(std::shared_ptr<const ByteSource> fine, Extents extents, Extents lengths, BlockValue what,
              T missing)
      : fine_(std::move(fine)),
        extents_(extents),
        lengths_(lengths),
        coarse_(blocks_of(extents, lengths)),
        what_(what),
        missing_(missing) {}

  std::uint64_t size_bytes() const override {
    return row_bytes() * static_cast<std::uint64_t>(coarse_.back());
  }

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      const std::uint64_t within = offset % row_bytes();
      const std::vector<T> row = row_of(static_cast<Index>(offset / row_bytes()));
      const std::size_t count = std::min<std::size_t>(out.size(), row_bytes() - within);
      std::memcpy(out.data(), reinterpret_cast<const std::byte*>(row.data()) + within, count);
      out = out.subspan(count);
      offset += count;
    }
  }

 private:
  std::uint64_t row_bytes() const {
    return static_cast<std::uint64_t>(Region{{}, coarse_}.size() / std::max<Index>(coarse_.back(), 1)) *
           sizeof(T);
  }

  std::vector<T> row_of(Index row) const {
    Extents extents = extents_;
    const Index first = row * lengths_.back();
    extents.back() = std::min(lengths_.back(), extents_.back() - first);
    const Index fine_row = Region{{}, extents}.size() / extents.back();
    std::vector<T> fine(static_cast<std::size_t>(Region{{}, extents}.size()));
    fine_->read(static_cast<std::uint64_t>(first * fine_row) * sizeof(T),
                std::as_writable_bytes(std::span(fine)));
    std::vector<T> out;
    for (const double value : block_values<T>(fine, extents, lengths_, missing_, what_))
      out.push_back(std::isnan(value) ? missing_ : static_cast<T>(value));
    return out;
  }

  std::shared_ptr<const ByteSource> fine_;
  Extents extents_, lengths_, coarse_;
  BlockValue what_;
  T missing_;
};

}  // namespace

std::shared_ptr<const ByteSource> coarse_bytes(std::shared_ptr<const ByteSource> fine, ElementType type,
                                               const Extents& extents, const Extents& lengths,
                                               BlockValue what, double missing) {
  if (std::ranges::all_of(lengths, [](Index length) { return length == 1; })) return fine;
  if (type == ElementType::float32)
    return std::make_shared<const CoarseBytes<float>>(std::move(fine), extents, lengths, what,
                                                      static_cast<float>(missing));
  return std::make_shared<const CoarseBytes<double>>(std::move(fine), extents, lengths, what, missing);
}

}  // namespace pileus
