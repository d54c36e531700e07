#pragma once
// Bytes for the wire and for checkpoints, in a fixed little-endian layout. Lengths stand before contents, and
// the decoder checks them.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/extents.h"

namespace pileus {

static_assert(std::endian::native == std::endian::little, "the wire and checkpoints are little-endian");

using Bytes = std::vector<std::byte>;

class Encoder {
 public:
  explicit Encoder(Bytes& out) : out_(out) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    out_.insert(out_.end(), first, first + sizeof(T));
  }
  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    put_raw(std::as_bytes(std::span(text)));
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    put_raw(std::as_bytes(std::span(values)));
  }
  /// Writes the same bytes as for a vector of these numbers.
  void put(const Extents& extents) {
    put(static_cast<std::uint64_t>(extents.size()));
    put_raw(std::as_bytes(std::span(extents.begin(), extents.end())));
  }
  void put_raw(std::span<const std::byte> bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }

 private:
  Bytes& out_;
};

/// Reads what an Encoder wrote. Errors: TransportError when the bytes end early or a length cannot be true.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> in) : in_(in) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> T get() {
    T value;
    std::memcpy(&value, get_raw(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string get_text() {
    const auto bytes = get_raw(get_length(1));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <class T>
  requires std::is_arithmetic_v<T> std::vector<T> get_vector() {
    const std::size_t count = get_length(sizeof(T));
    const auto bytes = get_raw(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  Extents get_extents() {
    const std::size_t rank = get_length(sizeof(Index));
    if (rank > static_cast<std::size_t>(kMaxRank))
      throw TransportError("a message holds too many dimensions");
    Extents extents(rank);
    if (rank > 0) std::memcpy(extents.data(), get_raw(rank * sizeof(Index)).data(), rank * sizeof(Index));
    return extents;
  }
  /// Reads the number of items that follow, each of at least `item_bytes` bytes.
  std::size_t get_length(std::size_t item_bytes) {
    const auto length = get<std::uint64_t>();
    if (item_bytes > 0 && length > in_.size() / item_bytes)
      throw TransportError("a message holds a wrong length");
    return static_cast<std::size_t>(length);
  }
  std::span<const std::byte> get_raw(std::size_t size) {
    if (size > in_.size()) throw TransportError("a message ends early");
    const auto bytes = in_.first(size);
    in_ = in_.subspan(size);
    return bytes;
  }
  std::span<const std::byte>& rest() { return in_; }
  bool is_at_end() const { return in_.empty(); }

 private:
  std::span<const std::byte> in_;
};

}  // namespace pileus
