#include "state/manifest.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pileus {
namespace {

constexpr std::uint32_t kManifestMagic = 0x4d'54'53'50;  // "PSTM"
constexpr std::uint32_t kManifestSchema = 2;

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before) {
  uLong sum = before;
  while (!bytes.empty()) {
    const std::size_t count = std::min<std::size_t>(bytes.size(), 1U << 30);
    sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(count));
    bytes = bytes.subspan(count);
  }
  return static_cast<std::uint32_t>(sum);
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
  out.put(static_cast<std::uint64_t>(manifest.parts.size()));
  for (const Manifest::Part& part : manifest.parts) {
    out.put(part.size_bytes);
    out.put(part.checksum);
  }
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
  manifest.parts.resize(in.get_length(sizeof(std::uint64_t) + sizeof(std::uint32_t)));
  for (Manifest::Part& part : manifest.parts) {
    part.size_bytes = in.get<std::uint64_t>();
    part.checksum = in.get<std::uint32_t>();
  }
  in.get<std::uint32_t>();
  const bool is_possible = in.is_at_end() && manifest.attempt >= 0 && manifest.step.index >= 0 &&
                           std::isfinite(manifest.step.time) && std::isfinite(manifest.step.length);
  if (!is_possible) throw TransportError("it holds what no run has");
  return manifest;
}

}  // namespace pileus
