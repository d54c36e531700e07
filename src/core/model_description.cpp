#include "core/model_description.h"

namespace pileus {
namespace {

constexpr std::int64_t kFreshStart = -1;  // stands for "no step to continue after"

void encode_texts(Encoder& out, const std::vector<std::string>& texts) {
  out.put(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) out.put(text);
}

std::vector<std::string> decode_texts(Decoder& in) {
  std::vector<std::string> texts(in.get_length(8));
  for (std::string& text : texts) text = in.get_text();
  return texts;
}

}  // namespace

void RankDescription::encode_common(Encoder& out) const {
  out.put(static_cast<std::uint64_t>(dimensions.size()));
  for (const ModelDimension& dimension : dimensions) {
    out.put(dimension.name);
    out.put(dimension.size);
    out.put(dimension.coordinates);
    out.put(dimension.units);
    out.put(dimension.bounds);
  }
  out.put(static_cast<std::uint64_t>(points.size()));
  for (const ModelPoints& one : points) {
    out.put(one.name);
    encode_texts(out, one.dimensions);
    out.put(one.may_be_shared);
  }
  out.put(static_cast<std::uint64_t>(fields.size()));
  for (const ModelField& field : fields) {
    out.put(field.name);
    out.put(field.type);
    encode_texts(out, field.dimensions);
    for (const std::string* text :
         {&field.metadata.units, &field.metadata.standard_name, &field.metadata.long_name})
      out.put(*text);
    out.put(field.is_static);
    out.put(field.points ? *field.points + 1 : std::uint32_t{0});
  }
  out.put(static_cast<std::uint64_t>(options.size()));
  for (const auto& [key, value] : options) {
    out.put(key);
    out.put(value);
  }
  out.put(calendar);
  out.put(epoch);
  out.put(continue_after.value_or(kFreshStart));
  out.put(describe_model);
}

RankDescription RankDescription::decode_common(Decoder& in) {
  RankDescription rank;
  rank.dimensions.resize(in.get_length(40));
  for (ModelDimension& dimension : rank.dimensions) {
    dimension.name = in.get_text();
    dimension.size = in.get<Index>();
    dimension.coordinates = in.get_vector<double>();
    dimension.units = in.get_text();
    dimension.bounds = in.get_vector<double>();
  }
  rank.points.resize(in.get_length(17));
  for (ModelPoints& points : rank.points) {
    points.name = in.get_text();
    points.dimensions = decode_texts(in);
    points.may_be_shared = in.get<std::uint8_t>() != 0;
  }
  rank.fields.resize(in.get_length(46));
  for (ModelField& field : rank.fields) {
    field.name = in.get_text();
    field.type = in.get<ElementType>();
    if (!is_known(field.type)) throw TransportError("a message holds an unknown type of number");
    field.dimensions = decode_texts(in);
    for (std::string* text :
         {&field.metadata.units, &field.metadata.standard_name, &field.metadata.long_name})
      *text = in.get_text();
    field.is_static = in.get<std::uint8_t>() != 0;
    const auto points = in.get<std::uint32_t>();
    if (points > rank.points.size()) throw TransportError("a message holds a field on unknown points");
    if (points > 0) field.points = points - 1;
  }
  const std::size_t options = in.get_length(16);
  for (std::size_t i = 0; i < options; ++i) {
    std::string key = in.get_text();
    rank.options[key] = in.get_text();
  }
  rank.calendar = in.get_text();
  rank.epoch = in.get_text();
  const auto step = in.get<std::int64_t>();
  if (step < kFreshStart) throw TransportError("a message holds a run that continues after a negative step");
  if (step != kFreshStart) rank.continue_after = step;
  rank.describe_model = in.get_text();
  return rank;
}

}  // namespace pileus
