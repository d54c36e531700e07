#include "core/wants.h"

namespace pileus {
namespace {

void encode(Encoder& out, const WantedDefinition& definition) {
  out.put(definition.name);
  out.put(definition.scope);
  out.put(definition.frequency);
  out.put(definition.frequency_s);
  out.put(definition.is_sent_at_end);
  out.put(definition.first_field);
  out.put(definition.field_count);
}

WantedDefinition decode_definition(Decoder& in) {
  WantedDefinition definition;
  definition.name = in.get_text();
  definition.scope = in.get_text();
  definition.frequency = in.get<std::int64_t>();
  definition.frequency_s = in.get<double>();
  definition.is_sent_at_end = in.get<std::uint8_t>() != 0;
  definition.first_field = in.get<std::uint32_t>();
  definition.field_count = in.get<std::uint32_t>();
  return definition;
}

void encode(Encoder& out, const WantedField& field) {
  out.put(field.name);
  out.put(field.definition);
  out.put(field.kind);
  out.put(field.data_type);
  out.put(static_cast<std::uint64_t>(field.sizes.size()));
  for (const std::string& size : field.sizes) out.put(size);
  for (const bool flag : {field.has_sizes, field.is_optional, field.is_collective, field.is_static})
    out.put(flag);
  out.put(static_cast<std::uint64_t>(field.outputs.size()));
  for (const WantedOutput& output : field.outputs) {
    out.put(output.seconds);
    out.put(output.months);
  }
}

WantedField decode_field(Decoder& in) {
  WantedField field;
  field.name = in.get_text();
  field.definition = in.get<std::uint32_t>();
  field.kind = in.get_text();
  field.data_type = in.get_text();
  field.sizes.resize(in.get_length(8));
  for (std::string& size : field.sizes) size = in.get_text();
  for (bool* flag : {&field.has_sizes, &field.is_optional, &field.is_collective, &field.is_static})
    *flag = in.get<std::uint8_t>() != 0;
  field.outputs.resize(in.get_length(16));
  for (WantedOutput& output : field.outputs) {
    output.seconds = in.get<double>();
    output.months = in.get<std::int64_t>();
  }
  return field;
}

/// A model rank uses these numbers as indices.
void require_indices(const Wants& wants) {
  for (const WantedDefinition& one : wants.definitions) {
    if (std::uint64_t{one.first_field} + one.field_count > wants.fields.size())
      throw TransportError("a definition of the configuration names fields that are not there");
  }
  for (const WantedField& field : wants.fields) {
    if (field.definition >= wants.definitions.size())
      throw TransportError("a field of the configuration names a definition that is not there");
  }
}

}  // namespace

void Wants::encode(Encoder& out) const {
  out.put(static_cast<std::uint64_t>(definitions.size()));
  for (const WantedDefinition& definition : definitions) pileus::encode(out, definition);
  out.put(static_cast<std::uint64_t>(fields.size()));
  for (const WantedField& field : fields) pileus::encode(out, field);
}

Wants Wants::decode(Decoder& in) {
  Wants wants;
  wants.definitions.resize(in.get_length(41));
  for (WantedDefinition& definition : wants.definitions) definition = decode_definition(in);
  wants.fields.resize(in.get_length(48));
  for (WantedField& field : wants.fields) field = decode_field(in);
  require_indices(wants);
  return wants;
}

}  // namespace pileus
