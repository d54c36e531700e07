#pragma once
// Bytes that are read piece by piece, so that who needs them does not hold all of them: values of static
// variables, and what is large in a checkpoint. They never change while somebody may read them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace pileus {

class ByteSource {
 public:
  virtual std::uint64_t size_bytes() const = 0;

  /// Fills `out` with the bytes from `offset` on; it may block on a disk. Thread-safe.
  /// REQUIRES: there are as many. Errors: OutputError.
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;

  virtual ~ByteSource() = default;
};

/// Takes the next bytes of something. They are gone after the call.
using PutBytes = std::function<void(std::span<const std::byte>)>;

class BytesInMemory : public ByteSource {
 public:
  explicit BytesInMemory(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size_bytes() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::copy_n(bytes_.data() + offset, out.size(), out.data());
  }
  /// REQUIRES: nobody else has it yet.
  std::span<std::byte> to_fill() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// What another source has from some byte on.
class BytesBehind : public ByteSource {
 public:
  BytesBehind(std::shared_ptr<const ByteSource> all, std::uint64_t first)
      : all_(std::move(all)), first_(first) {}

  std::uint64_t size_bytes() const override { return all_->size_bytes() - first_; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    all_->read(first_ + offset, out);
  }

 private:
  std::shared_ptr<const ByteSource> all_;
  std::uint64_t first_;
};

/// The bytes of which a piece is at most.
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

/// Hands all bytes over, piece after piece: their offset, and the bytes. Errors: those of reading and taking.
template <class Take>
void in_pieces(const ByteSource& source, const Take& take) {
  std::vector<std::byte> piece(std::min(kPieceBytes, source.size_bytes()));
  for (std::uint64_t first = 0; first < source.size_bytes(); first += piece.size()) {
    piece.resize(std::min(kPieceBytes, source.size_bytes() - first));
    source.read(first, piece);
    take(first, std::span<const std::byte>(piece));
  }
}

}  // namespace pileus
