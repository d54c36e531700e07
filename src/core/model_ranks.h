#pragma once
// What all model ranks register, as servers hold it. Nearly all of it is the same on nearly all ranks:
// dimensions with coordinates, fields with their names, options. Ranks with the same are of one kind, which
// is held once. A rank for itself has a few numbers, the spans of dimensions that it holds. Nothing here
// grows with ranks times fields or ranks times coordinates.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/model_description.h"

namespace pileus {

/// What a rank registers, encoded in two pieces.
struct RankCode {
  Bytes kind;   ///< all but where the rank lies
  Bytes place;  ///< its spans; the kind says how many, and which field has which
};
RankCode encode_rank(const RankDescription& rank);

/// Pieces of bytes, each content once.
class DistinctBytes {
 public:
  /// The number of this content, from 0 in the order of the first that came.
  std::uint32_t number_of(std::span<const std::byte> bytes);
  std::size_t size() const { return all_.size(); }
  const Bytes& operator[](std::size_t number) const { return all_[number]; }

 private:
  std::vector<Bytes> all_;
  std::map<std::size_t, std::vector<std::uint32_t>> by_hash_;
};

class ModelRanks {
 public:
  ModelRanks() = default;
  ModelRanks(const ModelDescription& model);

  void add(const RankDescription& rank);
  /// The first piece of encode_rank, which is looked at whole. Returns the number of the kind, the same for
  /// the same bytes. REQUIRES: each kind is followed by its first rank, before the next kind. Errors:
  /// TransportError if it is none.
  std::uint32_t add_kind(std::span<const std::byte> bytes);
  /// A rank of this kind, with the second piece of encode_rank. Errors: TransportError if it is none.
  void add(std::uint32_t kind, std::span<const std::byte> place);

  std::size_t size() const { return kind_of_.size(); }
  bool empty() const { return kind_of_.empty(); }

  std::size_t kind_count() const { return kinds_.size(); }
  /// Kinds are numbered in the order of their first ranks.
  std::uint32_t kind_of(std::size_t rank) const { return kind_of_[rank]; }
  /// What ranks of a kind have in common. Regions of its fields have their number of dimensions, and no size.
  const RankDescription& kind(std::size_t number) const { return kinds_[number].common; }
  std::size_t first_rank(std::size_t kind) const { return kinds_[kind].first_rank; }
  const RankDescription& common_of(std::size_t rank) const { return kind(kind_of(rank)); }
  /// Fields of a kind with the same box have the same region on each of its ranks.
  std::uint32_t box_of(std::size_t kind, std::size_t field) const { return kinds_[kind].box_of_field[field]; }
  Region region(std::size_t rank, std::size_t field) const;
  /// All that one rank registers.
  RankDescription operator[](std::size_t rank) const;

  void encode(Encoder& out) const;
  static ModelRanks decode(Decoder& in);

 private:
  using Box = std::vector<std::uint32_t>;  ///< by dimension: which of the rank's spans
  struct Kind {
    RankDescription common;
    std::vector<Box> boxes;
    std::vector<std::uint32_t> box_of_field;
    std::size_t spans = 0;  ///< of each rank
    std::size_t first_rank = SIZE_MAX;
  };
  friend RankCode encode_rank(const RankDescription& rank);
  friend RankDescription decode_rank(Decoder& in);

  static Kind decode_kind(std::span<const std::byte> bytes);
  void require_countable(std::size_t rank) const;
  Region region_of(const Kind& kind, std::size_t rank, std::uint32_t box) const;
  void add_place(std::uint32_t kind, Decoder& in);

  DistinctBytes codes_;  ///< of the kinds
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;     ///< by rank
  std::vector<std::uint64_t> first_span_;  ///< likewise
  std::vector<IndexSet::Range> spans_;     ///< of all ranks
};

/// A number in as few bytes as it needs, seven bits in each. Errors of get_number: TransportError.
void put_number(Encoder& out, std::uint64_t number);
std::uint64_t get_number(Decoder& in);

}  // namespace pileus
