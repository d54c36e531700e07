#include "files/value_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "core/rounding.h"

namespace pileus {
namespace {

/// Elements along each side of the squares in which two dimensions change places: 32 lines of 64 bytes lie in
/// the smallest cache.
constexpr Index kTile = 32;

/// Where a box lies in an array, in the order of the file: distances in elements.
struct Strides {
  std::array<Index, kMaxRank> in_part{}, in_out{};
  Index first = 0;  ///< in the part
};

Strides strides_of(const Record& part, const ValueLayout& layout, const Region& wanted) {
  Strides strides;
  std::array<Index, kMaxRank> in_memory{};
  Index stride = 1;
  for (int d = 0; d < part.region.rank(); ++d) {
    in_memory[static_cast<std::size_t>(d)] = stride;
    stride *= part.region.count[static_cast<std::size_t>(d)];
  }
  stride = 1;
  for (std::size_t d = 0; d < wanted.count.size(); ++d) {
    const auto axis = layout.is_reordered() ? static_cast<std::size_t>(layout.axes[d]) : d;
    strides.in_part[d] = in_memory[axis];
    strides.in_out[d] = stride;
    strides.first += (wanted.start[d] - part.region.start[axis]) * in_memory[axis];
    stride *= wanted.count[d];
  }
  return strides;
}

/// The nearest multiple of a power of two, of two equally near ones the even one. What has no bits below it,
/// NaN and infinities stay.
double to_multiple(double x, double step) {
  constexpr double kNoFraction = 4503599627370496.0;  // 2^52: larger numbers are whole
  const double multiple = x / step;
  return std::abs(multiple) < kNoFraction ? std::nearbyint(multiple) * step + 0.0 : x;  // no -0
}

template <class To>
To fill_of(const ValueLayout& layout) {
  if (std::is_floating_point_v<To> && layout.fill_value) return static_cast<To>(*layout.fill_value);
  return std::visit([](auto value) { return static_cast<To>(value); }, missing_value(layout.type));
}

/// One element of a part as one of the file.
template <class From, class To>
class Cast {
 public:
  explicit Cast(const ValueLayout& layout)
      : bits_(layout.significant_bits),
        step_(layout.step),
        fill_(fill_of<To>(layout)),
        has_missing_(layout.missing_value) {
    if (layout.change) {
      is_changed_ = true;
      change_ = *layout.change;
    }
    if (has_missing_) missing_ = static_cast<From>(*layout.missing_value);
  }

  To operator()(From x) const {
    if (has_missing_ && is_missing(x)) return fill_;
    if constexpr (std::is_floating_point_v<To>) {
      if (is_changed_) return rounded(changed(static_cast<double>(x)));
      if (bits_ > 0 || step_ > 0) return rounded(static_cast<double>(x));
    }
    return static_cast<To>(x);
  }

 private:
  To rounded(double x) const {
    return static_cast<To>(bits_ > 0 ? rounded_to(x, bits_) : step_ > 0 ? to_multiple(x, step_) : x);
  }
  double changed(double x) const {
    const double product = x * change_.factor;  // apart, so that no compiler fuses them
    return product + change_.offset;
  }
  bool is_missing(From x) const {
    if constexpr (std::is_floating_point_v<From>) {
      if (std::isnan(missing_)) return std::isnan(x);
    }
    return x == missing_;
  }

  int bits_;
  double step_;
  To fill_;
  bool has_missing_, is_changed_ = false;
  From missing_ = {};
  ValueChange change_;
};

/// Two dimensions square by square, so that both sides stay in the cache when they run differently in both.
/// Every other dimension, one element after the other.
template <class From, class To>
void copy_box(const From* part, To* out, const Region& wanted, const Strides& strides,
              const Cast<From, To>& cast) {
  const auto rank = wanted.count.size();
  if (wanted.size() == 0) return;
  // The dimension of the file that runs fastest in the part; the first one always does in `out`.
  std::size_t other = 0;
  for (std::size_t d = 1; d < rank; ++d) {
    if (strides.in_part[d] < strides.in_part[other]) other = d;
  }
  const Index count_0 = rank == 0 ? 1 : wanted.count[0];
  const Index count_1 = other == 0 ? 1 : wanted.count[other];
  const Index in_0 = rank == 0 ? 0 : strides.in_part[0];
  const Index in_1 = other == 0 ? 0 : strides.in_part[other], out_1 = other == 0 ? 0 : strides.in_out[other];

  std::array<Index, kMaxRank> at{};
  for (;;) {
    Index from = strides.first, to = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      from += at[d] * strides.in_part[d];
      to += at[d] * strides.in_out[d];
    }
    for (Index tile_1 = 0; tile_1 < count_1; tile_1 += kTile) {
      for (Index tile_0 = 0; tile_0 < count_0; tile_0 += kTile) {
        const Index end_1 = std::min(count_1, tile_1 + kTile), end_0 = std::min(count_0, tile_0 + kTile);
        for (Index b = tile_1; b < end_1; ++b) {
          for (Index a = tile_0; a < end_0; ++a) {
            out[to + a + b * out_1] = cast(part[from + a * in_0 + b * in_1]);
          }
        }
      }
    }
    std::size_t d = 1;
    while (d < rank && (d == other || ++at[d] == wanted.count[d])) at[d++] = 0;
    if (d >= rank) return;
  }
}

template <class From>
void convert_from(const Record& part, const ValueLayout& layout, const Region& wanted, std::byte* out) {
  const Strides strides = strides_of(part, layout, wanted);
  const From* values = part.value->as<From>().data();
  const auto as = [&]<class To>(To*) {
    copy_box(values, reinterpret_cast<To*>(out), wanted, strides, Cast<From, To>(layout));
  };
  switch (layout.type) {
    case ElementType::float64: return as(static_cast<double*>(nullptr));
    case ElementType::float32: return as(static_cast<float*>(nullptr));
    case ElementType::int32: return as(static_cast<std::int32_t*>(nullptr));
    case ElementType::int64: return as(static_cast<std::int64_t*>(nullptr));
    case ElementType::boolean: return as(static_cast<std::int8_t*>(nullptr));
    case ElementType::character: return as(static_cast<char*>(nullptr));
  }
}

}  // namespace

ValueLayout value_layout(const Plan& plan, const Variable& variable) {
  const std::vector<DimensionId>& in_memory = plan[variable.value].dimensions;
  ValueLayout layout{variable.type,
                     {},
                     variable.storage.significant_bits,
                     variable.missing_value,
                     variable.change,
                     variable.storage.step,
                     variable.fill_value};
  if (variable.dimensions == in_memory) return layout;
  for (DimensionId dimension : variable.dimensions) {
    layout.axes.push_back(static_cast<int>(std::ranges::find(in_memory, dimension) - in_memory.begin()));
  }
  return layout;
}

Region in_file(const Region& in_memory, const ValueLayout& layout) {
  if (!layout.is_reordered()) return in_memory;
  Region region;
  for (const int axis : layout.axes) {
    region.start.push_back(in_memory.start[static_cast<std::size_t>(axis)]);
    region.count.push_back(in_memory.count[static_cast<std::size_t>(axis)]);
  }
  return region;
}

Region in_memory(const Region& in_file, const ValueLayout& layout) {
  if (!layout.is_reordered()) return in_file;
  Region region = in_file;
  for (std::size_t d = 0; d < layout.axes.size(); ++d) {
    const auto axis = static_cast<std::size_t>(layout.axes[d]);
    region.start[axis] = in_file.start[d];
    region.count[axis] = in_file.count[d];
  }
  return region;
}

bool has_layout(const Record& part, const ValueLayout& layout) {
  return part.value && part.value->type == layout.type && !layout.is_reordered() &&
         layout.significant_bits == 0 && layout.step == 0 && !layout.missing_value && !layout.change;
}

void convert(const Record& part, const ValueLayout& layout, const Region& wanted, std::span<std::byte> out) {
  if (!part.value) {
    std::visit(
        [&]<class T>(T) {
          auto* first = reinterpret_cast<T*>(out.data());
          std::fill(first, first + out.size() / sizeof(T), fill_of<T>(layout));
        },
        missing_value(layout.type));
    return;
  }
  switch (part.value->type) {
    case ElementType::float64: return convert_from<double>(part, layout, wanted, out.data());
    case ElementType::float32: return convert_from<float>(part, layout, wanted, out.data());
    case ElementType::int32: return convert_from<std::int32_t>(part, layout, wanted, out.data());
    case ElementType::int64: return convert_from<std::int64_t>(part, layout, wanted, out.data());
    case ElementType::boolean: return convert_from<std::int8_t>(part, layout, wanted, out.data());
    case ElementType::character: return convert_from<char>(part, layout, wanted, out.data());
  }
}

}  // namespace pileus
