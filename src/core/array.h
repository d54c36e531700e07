#pragma once
// A dense array of numbers that stages share without copying it. It holds a result, or a field in the message
// that brought it.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/element_type.h"
#include "core/region.h"

namespace pileus {

struct Array {
  ElementType type = ElementType::float64;
  Extents extents;                         ///< fastest first; empty for a scalar
  std::shared_ptr<const std::byte> bytes;  ///< dense; may keep a whole message alive

  Index size() const { return Region{{}, extents}.size(); }
  std::size_t size_bytes() const { return static_cast<std::size_t>(size()) * pileus::size_bytes(type); }

  /// REQUIRES: T is the C++ type of `type`.
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.get()), static_cast<std::size_t>(size())};
  }
};

/// An array that takes over `values`, which are in the order of memory.
inline Array make_array(std::vector<double> values, Extents extents) {
  auto owner = std::make_shared<std::vector<double>>(std::move(values));
  const auto* first = reinterpret_cast<const std::byte*>(owner->data());
  return {ElementType::float64, extents, std::shared_ptr<const std::byte>(owner, first)};
}

/// An array of doubles and the place of these, which are for the caller to write.
inline std::pair<Array, std::span<double>> make_doubles(const Extents& extents) {
  const auto size = static_cast<std::size_t>(Region{{}, extents}.size());
  const auto owner = std::make_shared_for_overwrite<double[]>(size);
  const auto* first = reinterpret_cast<const std::byte*>(owner.get());
  return {{ElementType::float64, extents, std::shared_ptr<const std::byte>(owner, first)},
          {owner.get(), size}};
}

}  // namespace pileus
