#pragma once
// The loops over rows of a model's elements, for all types between which they are converted. The copies of
// boxes and of points are made of these.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/element_type.h"
#include "core/extents.h"
#include "math/fp_environment.h"

namespace pileus {

/// A byte of the model that is 0 or not 0; the copy has 0 or 1.
struct Truth {
  std::uint8_t byte = 0;
  template <class T>
  explicit operator T() const {
    return static_cast<T>(byte != 0);
  }
};

/// Copies one element, of any alignment.
template <class From, class To>
void convert_element(const std::byte* from, std::byte* to) {
  From value;
  std::memcpy(&value, from, sizeof value);
  const To converted = static_cast<To>(value);
  std::memcpy(to, &converted, sizeof converted);
}

template <class From, class To>
void convert_row(const std::byte* from, Index stride, std::byte* to, Index count) {
  for (Index i = 0; i < count; ++i)
    convert_element<From, To>(from + i * stride, to + i * static_cast<Index>(sizeof(To)));
}

/// `stride`: bytes in the source; the copy is dense.
template <class From, class To>
void copy_row(const std::byte* from, Index stride, std::byte* to, Index count) {
  if (stride != static_cast<Index>(sizeof(From)))
    convert_row<From, To>(from, stride, to, count);
  else if constexpr (std::is_same_v<From, To>)
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(To));
  else
    convert_row<From, To>(from, sizeof(From), to, count);  // a constant stride: vectorised
}

namespace detail {

template <class From, class Loop>
void with_type_of_copy(ElementType to, Loop& loop) {
  switch (to) {
    case ElementType::float64: return loop.template operator()<From, double>();
    case ElementType::float32: return loop.template operator()<From, float>();
    case ElementType::int64:
      if constexpr (std::is_integral_v<From> || std::is_same_v<From, Truth>)
        return loop.template operator()<From, std::int64_t>();
      break;
    case ElementType::int32:
      if constexpr (std::is_same_v<From, Truth>) return loop.template operator()<From, std::int32_t>();
      break;
    case ElementType::boolean:
    case ElementType::character: break;
  }
  assert(!"can_convert was not asked");
}

}  // namespace detail

/// Calls loop.operator()<From, To>() with types that have the bits of the elements, where a conversion rounds
/// to nearest. The same type is copied by its bits, so that a signalling NaN stays one.
/// REQUIRES: can_convert(from, to).
template <class Loop>
void with_element_types(ElementType from, ElementType to, Loop loop) {
  if (from == to) {
    if (size_bytes(to) == 8) return loop.template operator()<std::uint64_t, std::uint64_t>();
    if (to == ElementType::boolean) return loop.template operator()<Truth, std::uint8_t>();
    if (size_bytes(to) == 1) return loop.template operator()<std::uint8_t, std::uint8_t>();
    return loop.template operator()<std::uint32_t, std::uint32_t>();
  }
  const FloatingPointEnvironment exact;
  switch (from) {
    case ElementType::float64: return detail::with_type_of_copy<double>(to, loop);
    case ElementType::float32: return detail::with_type_of_copy<float>(to, loop);
    case ElementType::int32: return detail::with_type_of_copy<std::int32_t>(to, loop);
    case ElementType::int64: return detail::with_type_of_copy<std::int64_t>(to, loop);
    case ElementType::boolean: return detail::with_type_of_copy<Truth>(to, loop);
    case ElementType::character: return;  // can_convert has excluded it
  }
}

}  // namespace pileus
