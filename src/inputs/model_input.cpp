#include "inputs/model_input.h"

#include "core/error.h"

namespace pileus {
namespace {

constexpr std::int64_t kMostAhead = 1000;

}  // namespace

void BroughtInput::encode(Encoder& out) const {
  axis.encode(out);
  out.put(ahead);
  out.put(wire_type);
  out.put(source);
}

BroughtInput BroughtInput::decode(Decoder& in) {
  BroughtInput brought;
  brought.axis = InputAxis::decode(in);
  brought.ahead = in.get<std::int64_t>();
  brought.wire_type = in.get<ElementType>();
  brought.source = in.get_text();
  const bool is_real = brought.wire_type == ElementType::float64 || brought.wire_type == ElementType::float32;
  if (brought.ahead < 0 || brought.ahead > kMostAhead || !is_real)
    throw TransportError("a message holds no input");
  return brought;
}

void encode_inputs(std::span<const ModelInput> inputs, Encoder& out) {
  out.put(static_cast<std::uint64_t>(inputs.size()));
  for (const ModelInput& input : inputs) {
    out.put(input.name);
    out.put(input.type);
    out.put(static_cast<std::uint64_t>(input.dimensions.size()));
    for (const std::string& name : input.dimensions) out.put(name);
    out.put(input.region.start);
    out.put(input.region.count);
    out.put(input.sizes);
    out.put(input.units);
  }
}

std::vector<ModelInput> decode_inputs(Decoder& in) {
  std::vector<ModelInput> inputs(in.get_length(sizeof(std::uint64_t)));
  for (ModelInput& input : inputs) {
    input.name = in.get_text();
    input.type = in.get<ElementType>();
    input.dimensions.resize(in.get_length(sizeof(std::uint64_t)));
    for (std::string& name : input.dimensions) name = in.get_text();
    input.region.start = in.get_extents();
    input.region.count = in.get_extents();
    input.sizes = in.get_vector<Index>();
    input.units = in.get_text();
    const std::size_t rank = input.dimensions.size();
    bool is_right = is_known(input.type) && is_number(input.type) && input.sizes.size() == rank &&
                    input.region.start.size() == rank && input.region.count.size() == rank;
    for (std::size_t d = 0; is_right && d < rank; ++d)
      is_right = input.sizes[d] >= 0 && input.region.along(d).is_within(input.sizes[d]);
    if (!is_right) throw TransportError("a message registers an input that cannot be");
  }
  return inputs;
}

void encode_brought(const BroughtInputs& brought, Encoder& out) {
  out.put(static_cast<std::uint64_t>(brought.size()));
  for (const std::optional<BroughtInput>& one : brought) {
    out.put(one.has_value());
    if (one) one->encode(out);
  }
}

BroughtInputs decode_brought(Decoder& in) {
  BroughtInputs brought(in.get_length(1));
  for (std::optional<BroughtInput>& one : brought) {
    if (in.get<std::uint8_t>() != 0) one = BroughtInput::decode(in);
  }
  return brought;
}

void WantedRecords::encode(Encoder& out) const {
  out.put(input);
  out.put(first);
  out.put(count);
}

WantedRecords WantedRecords::decode(Decoder& in) {
  WantedRecords wanted;
  wanted.input = in.get<std::uint32_t>();
  wanted.first = in.get<std::int64_t>();
  wanted.count = in.get<std::int64_t>();
  return wanted;
}

void RecordHead::encode(Encoder& out) const {
  out.put(input);
  out.put(record);
}

RecordHead RecordHead::decode(Decoder& in) {
  RecordHead head;
  head.input = in.get<std::uint32_t>();
  head.record = in.get<std::int64_t>();
  return head;
}

}  // namespace pileus
