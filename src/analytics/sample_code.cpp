#include "analytics/sample_code.h"

#include <stdexcept>

#include "core/error.h"

namespace pileus {
namespace {

enum class SampleKind : std::uint8_t { absent, array, partials };

/// Extents as they may arrive: a product that is not absurd.
Extents decode_extents(Decoder& in) {
  const Extents extents = in.get_extents();
  Index size = 1;
  for (Index n : extents) {
    if (n < 0 || (n > 0 && size > (Index{1} << 40) / n))
      throw TransportError("a message holds an absurd shape");
    size *= n;
  }
  return extents;
}

Sample decode_array(Decoder& in) {
  Array array;
  array.type = in.get<ElementType>();
  if (!is_known(array.type)) throw TransportError("a message holds an unknown type of number");
  array.extents = decode_extents(in);
  const auto bytes = in.get_raw(array.size_bytes());
  auto copy = std::make_shared<Bytes>(bytes.begin(), bytes.end());
  array.bytes = std::shared_ptr<const std::byte>(copy, copy->data());
  return array;
}

Sample decode_partials(Decoder& in) {
  PartialArray array{decode_extents(in), nullptr};
  const auto size = static_cast<std::size_t>(Region{{}, array.extents}.size());
  try {
    array.values = std::make_shared<Partials>(Partials::decode(in.rest(), size));
  } catch (const std::invalid_argument& error) {
    throw TransportError(std::string("a message holds a damaged Partial: ") + error.what());
  }
  return array;
}

}  // namespace

void encode_sample(const Sample& sample, Encoder& out) {
  if (const auto* array = std::get_if<Array>(&sample)) {
    out.put(SampleKind::array);
    out.put(array->type);
    out.put(array->extents);
    out.put_raw({array->bytes.get(), array->size_bytes()});
  } else if (const auto* partials = std::get_if<PartialArray>(&sample)) {
    out.put(SampleKind::partials);
    out.put(partials->extents);
    Bytes bytes;
    partials->values->encode(bytes);
    out.put_raw(bytes);
  } else {
    out.put(SampleKind::absent);
  }
}

Sample decode_sample(Decoder& in) {
  switch (in.get<SampleKind>()) {
    case SampleKind::absent: return Absent{};
    case SampleKind::array: return decode_array(in);
    case SampleKind::partials: return decode_partials(in);
  }
  throw TransportError("a message holds an unknown kind of value");
}

}  // namespace pileus
