#include "output/write_parts.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pileus {
namespace {

/// Neighbouring runs are gathered up to this size; longer runs go out as they are.
constexpr std::size_t kGatheredBytes = std::size_t{1} << 20;

template <class From, class To>
Array converted(const Array& array, ElementType type) {
  const auto values = array.as<From>();
  auto cast = std::make_shared<std::vector<To>>(values.size());
  std::transform(values.begin(), values.end(), cast->begin(), [](From x) { return static_cast<To>(x); });
  const auto* first = reinterpret_cast<const std::byte*>(cast->data());
  return {type, array.extents, std::shared_ptr<const std::byte>(cast, first)};
}

template <class From>
Array converted_from(const Array& array, ElementType type) {
  switch (type) {
    case ElementType::float64: return converted<From, double>(array, type);
    case ElementType::float32: return converted<From, float>(array, type);
    case ElementType::int32: return converted<From, std::int32_t>(array, type);
    case ElementType::int64: return converted<From, std::int64_t>(array, type);
    case ElementType::boolean: return converted<From, std::int8_t>(array, type);
    case ElementType::character: break;  // a text is only itself
  }
  return array;
}

Array missing_values(const Region& region, ElementType type) {
  const auto count = static_cast<std::size_t>(region.size());
  return std::visit(
      [&]<class T>(T fill) {
        auto values = std::make_shared<std::vector<T>>(count, fill);
        const auto* first = reinterpret_cast<const std::byte*>(values->data());
        return Array{type, region.count, std::shared_ptr<const std::byte>(values, first)};
      },
      missing_value(type));
}

struct PlacedRun {
  FileRun run;
  const std::byte* part;
};

}  // namespace

Array cast_to(const Array& array, ElementType type) {
  if (array.type == type) return array;
  switch (array.type) {
    case ElementType::float64: return converted_from<double>(array, type);
    case ElementType::float32: return converted_from<float>(array, type);
    case ElementType::int32: return converted_from<std::int32_t>(array, type);
    case ElementType::int64: return converted_from<std::int64_t>(array, type);
    case ElementType::boolean: return converted_from<std::int8_t>(array, type);
    case ElementType::character: break;
  }
  return array;
}

void write_parts(PartFile& file, const RecordPlacement& placement, const std::vector<Record>& parts,
                 ElementType type) {
  std::vector<Array> arrays;
  std::vector<PlacedRun> runs;
  for (const Record& part : parts) {
    arrays.push_back(part.value ? cast_to(*part.value, type) : missing_values(part.region, type));
    for (const FileRun& run : runs_of(placement, part.region, size_bytes(type))) {
      runs.push_back({run, arrays.back().bytes.get()});
    }
  }
  std::ranges::sort(runs, {}, [](const PlacedRun& placed) { return placed.run.file_offset; });

  Bytes gathered;
  std::uint64_t gathered_offset = 0;
  auto flush = [&] {
    if (!gathered.empty()) file.write_at(gathered_offset, gathered);
    gathered.clear();
  };
  for (const auto& [run, part] : runs) {
    const std::span bytes(part + run.part_offset, run.length);
    const bool continues = gathered_offset + gathered.size() == run.file_offset;
    if (!continues || gathered.size() + run.length > kGatheredBytes) flush();
    if (run.length >= kGatheredBytes) {
      file.write_at(run.file_offset, bytes);
      continue;
    }
    if (gathered.empty()) gathered_offset = run.file_offset;
    gathered.insert(gathered.end(), bytes.begin(), bytes.end());
  }
  flush();
}

}  // namespace pileus
