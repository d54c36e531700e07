#include "core/model_ranks.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "core/possible_region.h"

namespace pileus {
namespace {

/// Small negative numbers are small, too.
std::uint64_t folded(Index number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
Index unfolded(std::uint64_t number) {
  return static_cast<Index>(number >> 1) ^ -static_cast<Index>(number & 1);
}

/// The spans of a rank, each once, and which of them each field has. Equal numbers in different dimensions
/// are different spans, so that ranks whose x lies by chance as their y does are of the same kind as others.
class Places {
 public:
  std::uint32_t box_of(const ModelField& field) {
    std::vector<std::uint32_t> box;
    for (std::size_t d = 0; d < field.region.count.size(); ++d) {
      const bool has_name = d < field.dimensions.size();
      const Span span{has_name ? field.dimensions[d] : "", field.region.start[d], field.region.count[d]};
      const auto [known, is_new] = number_of_.try_emplace(span, static_cast<std::uint32_t>(spans_.size()));
      if (is_new) spans_.push_back({field.region.start[d], field.region.count[d]});
      box.push_back(known->second);
    }
    const auto [known, is_new] = box_of_.try_emplace(box, static_cast<std::uint32_t>(boxes_.size()));
    if (is_new) boxes_.push_back(std::move(box));
    return known->second;
  }
  void encode_boxes(Encoder& out) const {
    put_number(out, spans_.size());
    out.put(static_cast<std::uint64_t>(boxes_.size()));
    for (const std::vector<std::uint32_t>& box : boxes_) {
      put_number(out, box.size());
      for (const std::uint32_t span : box) put_number(out, span);
    }
  }
  void encode_spans(Encoder& out) const {
    for (const IndexSet::Range& span : spans_) {
      put_number(out, folded(span.first));
      put_number(out, folded(span.count));
    }
  }

 private:
  using Span = std::tuple<std::string, Index, Index>;
  std::map<Span, std::uint32_t> number_of_;
  std::vector<IndexSet::Range> spans_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> box_of_;
  std::vector<std::vector<std::uint32_t>> boxes_;
};

}  // namespace

void put_number(Encoder& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.put(static_cast<std::uint8_t>(number | 0x80));
  out.put(static_cast<std::uint8_t>(number));
}

std::uint64_t get_number(Decoder& in) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = in.get<std::uint8_t>();
    if (shift == 63 && byte > 1) break;
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return number;
  }
  throw TransportError("a message holds a number that is too long");
}

RankCode encode_rank(const RankDescription& rank) {
  RankCode code;
  Places places;
  Encoder out(code.kind);
  rank.encode_common(out);
  for (const ModelField& field : rank.fields) put_number(out, places.box_of(field));
  places.encode_boxes(out);
  Encoder place(code.place);
  places.encode_spans(place);
  return code;
}

std::uint32_t DistinctBytes::number_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::uint32_t>& alike = by_hash_[std::hash<std::string_view>()(text)];
  for (const std::uint32_t number : alike) {
    if (std::ranges::equal(all_[number], bytes)) return number;
  }
  alike.push_back(static_cast<std::uint32_t>(all_.size()));
  all_.emplace_back(bytes.begin(), bytes.end());
  return alike.back();
}

ModelRanks::ModelRanks(const ModelDescription& model) {
  for (const RankDescription& rank : model.ranks) add(rank);
}

void ModelRanks::add(const RankDescription& rank) {
  const RankCode code = encode_rank(rank);
  Decoder in(code.place);
  add_place(add_kind(code.kind), in);
}

std::uint32_t ModelRanks::add_kind(std::span<const std::byte> bytes) {
  const std::uint32_t number = codes_.number_of(bytes);
  if (number == kinds_.size()) kinds_.push_back(decode_kind(bytes));
  return number;
}

void ModelRanks::add(std::uint32_t kind, std::span<const std::byte> place) {
  Decoder in(place);
  add_place(kind, in);
  if (!in.is_at_end()) throw TransportError("a message holds more of where a model rank lies than it can");
  require_countable(size() - 1);
}

/// For what comes from outside. A rank of this process may have any region: who plans with it names what is
/// wrong with it.
void ModelRanks::require_countable(std::size_t rank) const {
  const Kind& kind = kinds_[kind_of_[rank]];
  for (std::uint32_t box = 0; box < kind.boxes.size(); ++box) {
    if (!is_countable(region_of(kind, rank, box)))
      throw TransportError("a message holds a region of an absurd size");
  }
}

ModelRanks::Kind ModelRanks::decode_kind(std::span<const std::byte> bytes) {
  Decoder in(bytes);
  Kind kind;
  kind.common = RankDescription::decode_common(in);
  for (std::size_t f = 0; f < kind.common.fields.size(); ++f)
    kind.box_of_field.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(get_number(in), UINT32_MAX)));
  kind.spans = get_number(in);
  if (kind.spans > kind.common.fields.size() * kMaxRank)
    throw TransportError("a message holds a wrong length");
  const std::size_t boxes = in.get_length(1);
  if (boxes > kind.common.fields.size()) throw TransportError("a message holds a wrong length");
  kind.boxes.resize(boxes);
  for (Box& box : kind.boxes) {
    const std::uint64_t rank = get_number(in);
    if (rank > static_cast<std::uint64_t>(kMaxRank))
      throw TransportError("a message holds too many dimensions");
    for (std::uint64_t d = 0; d < rank; ++d) {
      const std::uint64_t span = get_number(in);
      if (span >= kind.spans) throw TransportError("a message holds a field that lies nowhere");
      box.push_back(static_cast<std::uint32_t>(span));
    }
  }
  for (std::size_t f = 0; f < kind.box_of_field.size(); ++f) {
    if (kind.box_of_field[f] >= kind.boxes.size())
      throw TransportError("a message holds a field that lies nowhere");
    const std::size_t rank = kind.boxes[kind.box_of_field[f]].size();
    kind.common.fields[f].region = {Extents(rank), Extents(rank)};
  }
  if (!in.is_at_end()) throw TransportError("a message holds more of a model rank than it can");
  return kind;
}

void ModelRanks::add_place(std::uint32_t number, Decoder& in) {
  Kind& kind = kinds_[number];
  const std::size_t first = spans_.size();
  for (std::size_t s = 0; s < kind.spans; ++s) {
    const Index start = unfolded(get_number(in));
    spans_.push_back({start, unfolded(get_number(in))});
  }
  const std::size_t rank = kind_of_.size();
  kind.first_rank = std::min(kind.first_rank, rank);
  kind_of_.push_back(number);
  first_span_.push_back(first);
}

Region ModelRanks::region_of(const Kind& kind, std::size_t rank, std::uint32_t box) const {
  Region region;
  for (const std::uint32_t span : kind.boxes[box]) {
    const IndexSet::Range& range = spans_[first_span_[rank] + span];
    region.add({range.first, range.count});
  }
  return region;
}

Region ModelRanks::region(std::size_t rank, std::size_t field) const {
  const Kind& kind = kinds_[kind_of_[rank]];
  return region_of(kind, rank, kind.box_of_field[field]);
}

RankDescription ModelRanks::operator[](std::size_t rank) const {
  RankDescription whole = common_of(rank);
  for (std::size_t f = 0; f < whole.fields.size(); ++f) whole.fields[f].region = region(rank, f);
  return whole;
}

void ModelRanks::encode(Encoder& out) const {
  out.put(static_cast<std::uint64_t>(codes_.size()));
  for (std::size_t k = 0; k < codes_.size(); ++k) {
    out.put(static_cast<std::uint64_t>(codes_[k].size()));
    out.put_raw(codes_[k]);
  }
  out.put(static_cast<std::uint64_t>(size()));
  for (std::size_t rank = 0; rank < size(); ++rank) {
    put_number(out, kind_of_[rank]);
    const std::size_t spans = kinds_[kind_of_[rank]].spans;
    for (std::size_t s = first_span_[rank]; s < first_span_[rank] + spans; ++s) {
      put_number(out, folded(spans_[s].first));
      put_number(out, folded(spans_[s].count));
    }
  }
}

ModelRanks ModelRanks::decode(Decoder& in) {
  ModelRanks model;
  for (std::size_t k = in.get_length(8); k > 0; --k) {
    const auto code = in.get_raw(in.get_length(1));
    if (model.codes_.number_of(code) != model.kinds_.size())
      throw TransportError("a message holds the same of model ranks twice");
    model.kinds_.push_back(decode_kind(code));
  }
  for (std::size_t rank = in.get_length(1); rank > 0; --rank) {
    const std::uint64_t kind = get_number(in);
    if (kind >= model.kinds_.size()) throw TransportError("a message holds a model rank of no kind");
    model.add_place(static_cast<std::uint32_t>(kind), in);
    model.require_countable(model.size() - 1);
  }
  return model;
}

void RankDescription::encode(Encoder& out) const {
  const RankCode code = encode_rank(*this);
  out.put(static_cast<std::uint64_t>(code.kind.size()));
  out.put_raw(code.kind);
  out.put_raw(code.place);
}

RankDescription RankDescription::decode(Decoder& in) {
  ModelRanks model;
  const std::uint32_t kind = model.add_kind(in.get_raw(in.get_length(1)));
  model.add(kind, std::exchange(in.rest(), {}));
  return model[0];
}

}  // namespace pileus
