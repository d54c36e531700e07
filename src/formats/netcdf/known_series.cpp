#include "formats/netcdf/known_series.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <utility>
#include <variant>

namespace pileus::netcdf {
namespace {

/// The definition, and growths of its axes. A file that grows on and on does it through the library.
constexpr std::size_t kMostChanges = 12;

using Bits = std::vector<std::uint64_t>;

void add(std::span<const double> numbers, Bits& bits) {
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
}

void add(const std::vector<FileAttribute>& attributes, Bits& bits) {
  for (const FileAttribute& attribute : attributes) {
    if (const auto* number = std::get_if<double>(&attribute.value)) add(std::span(number, 1), bits);
    if (const auto* numbers = std::get_if<AttributeNumbers>(&attribute.value)) add(numbers->reals, bits);
  }
}

/// Of all floating-point numbers: two zeros are equal, and not the same.
Bits bits_of(const FileDefinition& definition) {
  Bits bits;
  for (const FileDimension& dimension : definition.dimensions) {
    add(dimension.coordinates, bits);
    add(dimension.bounds, bits);
    add(dimension.attributes, bits);
  }
  for (const TimeAxis& axis : definition.axes) add(axis.attributes, bits);
  for (const FileVariable& variable : definition.variables) add(variable.attributes, bits);
  for (const FileStatic& one : definition.statics) add(one.attributes, bits);
  add(definition.attributes, bits);
  return bits;
}

std::uint64_t size_of_change(const KnownChange& change) {
  std::uint64_t bytes = sizeof(KnownChange) + change.addresses.size() * sizeof(std::uint64_t);
  for (const Patch& patch : change.patches) bytes += sizeof(Patch) + patch.bytes.size();
  return bytes;
}

/// A copy of it takes about so much. Values of static variables are shared.
std::uint64_t size_of_definition(const FileDefinition& definition) {
  constexpr std::uint64_t kObject = 2048;
  std::uint64_t bytes = kObject * (1 + definition.variables.size() + definition.statics.size() +
                                   definition.axes.size() + definition.dimensions.size());
  for (const FileDimension& dimension : definition.dimensions)
    bytes += (dimension.coordinates.size() + dimension.bounds.size()) * sizeof(double);
  return bytes;
}

}  // namespace

KnownSeries::KnownSeries(const FileDefinition& definition, MemoryToKeep memory)
    : definition_(definition), memory_(std::move(memory)) {
  is_ended_ = !take_memory(size_of_definition(definition));
}

KnownSeries::~KnownSeries() { *memory_ += kept_bytes_; }

bool KnownSeries::is_of(const FileDefinition& definition) const {
  return definition_ == definition && bits_of(definition_) == bits_of(definition);
}

const KnownChange* KnownSeries::find(std::size_t place, std::optional<std::uint32_t> axis) const {
  if (place >= changes_.size() || !changes_[place].is_confirmed) return nullptr;
  return changes_[place].change.axis == axis ? &changes_[place].change : nullptr;
}

bool KnownSeries::learn(std::size_t place, KnownChange change) {
  if (place < changes_.size()) {
    changes_[place].is_confirmed = changes_[place].change == change;
    if (changes_[place].is_confirmed) return true;
    // What follows was learnt from a file that went another way.
    changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(place), changes_.end());
    is_ended_ = true;
  }
  is_ended_ = is_ended_ || place >= kMostChanges;
  if (is_ended_ || place > changes_.size() || !take_memory(size_of_change(change))) return false;
  changes_.push_back({std::move(change)});
  return true;
}

bool KnownSeries::take_memory(std::uint64_t bytes) {
  if (*memory_ < bytes) return false;
  *memory_ -= bytes;
  kept_bytes_ += bytes;
  return true;
}

std::shared_ptr<KnownSeries> AllKnownSeries::of(const FileDefinition& definition) {
  if (!definition.is_of_series) return nullptr;
  const auto found =
      std::ranges::find_if(series_, [&](const auto& series) { return series->is_of(definition); });
  if (found != series_.end()) return *found;
  if (*memory_ < size_of_definition(definition)) return nullptr;
  auto series = std::make_shared<KnownSeries>(definition, memory_);
  if (!series->is_of(definition)) return nullptr;  // it has a NaN, and would never be found again
  return series_.emplace_back(std::move(series));
}

}  // namespace pileus::netcdf
