#include "state/manifest.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

namespace pileus {
namespace {

constexpr std::uint32_t kManifestMagic = 0x4d'54'53'50;  // "PSTM"
constexpr std::uint32_t kManifestSchema = 3;

void encode_names(const std::vector<StateName>& names, Encoder& out) {
  out.put(static_cast<std::uint64_t>(names.size()));
  for (const auto& [kind, key] : names) {
    out.put(std::string_view(kind));
    out.put(std::string_view(key));
  }
}

std::vector<StateName> decode_names(Decoder& in) {
  std::vector<StateName> names;
  for (std::size_t i = in.get_length(2 * sizeof(std::uint64_t)); i > 0; --i) {
    std::string kind = in.get_text();
    names.emplace_back(std::move(kind), in.get_text());
  }
  return names;
}

}  // namespace

void encode(const NamedPart& part, Encoder& out) {
  encode_names(part.names, out);
  encode(part.summary, out);
}

NamedPart decode_named_part(Decoder& in) {
  NamedPart part;
  part.names = decode_names(in);
  part.summary = decode_summary(in, part.names.size());
  return part;
}

void set_parts(Manifest& manifest, std::vector<NamedPart> parts) {
  std::map<StateName, std::uint32_t> numbers;
  for (const NamedPart& part : parts) {
    for (const StateName& name : part.names) numbers.try_emplace(name);
  }
  manifest.names.clear();
  for (auto& [name, number] : numbers) {
    number = static_cast<std::uint32_t>(manifest.names.size());
    manifest.names.push_back(name);
  }
  manifest.parts.clear();
  for (NamedPart& part : parts) {
    for (Holding& holding : part.summary.holdings) {
      for (std::uint32_t& name : holding.names) name = numbers.at(part.names[name]);
    }
    manifest.parts.push_back(std::move(part.summary));
  }
}

std::string part_name(std::size_t part) {
  char name[32];
  std::snprintf(name, sizeof name, "part-%04zu", part);
  return name;
}

Bytes encode_manifest(const Manifest& manifest) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(kManifestMagic);
  out.put(kManifestSchema);
  out.put(std::string_view(manifest.run));
  out.put(std::string_view(manifest.history));
  out.put(manifest.attempt);
  out.put(manifest.step.index);
  out.put(manifest.step.time);
  out.put(manifest.step.length);
  out.put(std::string_view(manifest.version));
  out.put(std::string_view(manifest.configuration));
  out.put(std::string_view(manifest.configuration_hash));
  out.put(std::string_view(manifest.options));
  out.put(manifest.model_ranks);
  encode_names(manifest.names, out);
  out.put(static_cast<std::uint64_t>(manifest.parts.size()));
  for (const PartSummary& part : manifest.parts) encode(part, out);
  out.put(checksum(bytes));
  return bytes;
}

Manifest decode_manifest(std::span<const std::byte> bytes) {
  Decoder in(bytes);
  if (in.get<std::uint32_t>() != kManifestMagic) throw TransportError("it is no manifest of a checkpoint");
  const auto schema = in.get<std::uint32_t>();
  if (schema != kManifestSchema) {
    throw TransportError("it is of version " + std::to_string(schema) + " of the format, known is version " +
                         std::to_string(kManifestSchema));
  }
  if (bytes.size() < 3 * sizeof(std::uint32_t)) throw TransportError("it ends early");
  const auto body = bytes.first(bytes.size() - sizeof(std::uint32_t));
  if (Decoder(bytes.last(sizeof(std::uint32_t))).get<std::uint32_t>() != checksum(body))
    throw TransportError("its checksum does not fit: it is damaged or cut short");

  Manifest manifest;
  manifest.run = in.get_text();
  manifest.history = in.get_text();
  manifest.attempt = in.get<std::int32_t>();
  manifest.step.index = in.get<std::int64_t>();
  manifest.step.time = in.get<double>();
  manifest.step.length = in.get<double>();
  manifest.version = in.get_text();
  manifest.configuration = in.get_text();
  manifest.configuration_hash = in.get_text();
  manifest.options = in.get_text();
  manifest.model_ranks = in.get<std::int64_t>();
  manifest.names = decode_names(in);
  for (std::size_t i = in.get_length(3 * sizeof(std::uint64_t)); i > 0; --i)
    manifest.parts.push_back(decode_summary(in, manifest.names.size()));
  in.get<std::uint32_t>();
  const bool is_possible = in.is_at_end() && manifest.attempt >= 0 && manifest.step.index >= 0 &&
                           std::isfinite(manifest.step.time) && std::isfinite(manifest.step.length);
  if (!is_possible) throw TransportError("it holds what no run has");
  return manifest;
}

}  // namespace pileus
