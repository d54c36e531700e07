#include "files/file_attributes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include "core/error.h"
#include "core/shortest.h"
#include "plan/sha256.h"

namespace pileus {
namespace {

constexpr const char* kPrecisionFrom = "precision_from";
constexpr const char* kRoundedBits = "_QuantizeBitRoundNumberOfSignificantBits";

/// Numbers that are read when they are written, so that no memory has all of them: one for each cell, or one
/// for each of its corners, one cell after the other.
class BytesOfPlaces : public ByteSource {
 public:
  BytesOfPlaces(const PlannedPlaces& planned, Index cells)
      : name_(planned.name),
        places_(planned.places),
        part_(planned.part),
        cells_(cells),
        of_cell_(planned.of_cell) {}

  std::uint64_t size_bytes() const override { return static_cast<std::uint64_t>(cells_) * bytes_of_cell(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (out.empty()) return;
    const std::uint64_t first = offset / bytes_of_cell();
    const std::uint64_t last = (offset + out.size() - 1) / bytes_of_cell();
    const std::vector<double> values =
        of_cells(static_cast<Index>(first), static_cast<Index>(last - first + 1));
    std::ranges::copy(std::as_bytes(std::span(values)).subspan(offset - first * bytes_of_cell(), out.size()),
                      out.begin());
  }

 private:
  std::uint64_t bytes_of_cell() const { return static_cast<std::uint64_t>(of_cell_) * sizeof(double); }
  std::vector<double> of_cells(Index first, Index count) const {
    try {
      std::vector<double> values = places_->read(part_, first, count);
      if (std::ssize(values) == count * of_cell_) return values;
    } catch (const UsageError& error) {
      throw OutputError(error.what());
    }
    throw OutputError("the variable " + name_ + " has other values than places for them");
  }

  std::string name_;
  std::shared_ptr<const PlacesOfCells> places_;
  CellPart part_;
  Index cells_, of_cell_;
};

/// Names of stations, each filled up with zeros.
class BytesOfNames : public ByteSource {
 public:
  explicit BytesOfNames(const PlannedPlaces& planned)
      : places_(planned.places), of_cell_(static_cast<std::size_t>(planned.of_cell)) {}

  std::uint64_t size_bytes() const override { return places_->names.size() * of_cell_; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    for (std::byte& byte : out) {
      const std::string& name = places_->names[offset / of_cell_];
      const std::size_t letter = offset++ % of_cell_;
      byte = letter < name.size() ? static_cast<std::byte>(name[letter]) : std::byte{0};
    }
  }

 private:
  std::shared_ptr<const PlacesOfCells> places_;
  std::size_t of_cell_;
};

}  // namespace

std::vector<FileAttribute> converted(const std::vector<Attribute>& attributes) {
  std::vector<FileAttribute> out;
  for (const Attribute& attribute : attributes) out.push_back({attribute.name, attribute.value});
  return out;
}

FileStatic static_of_places(const PlannedPlaces& planned, Index cells) {
  FileStatic made{planned.name, ElementType::float64, {}, converted(planned.attributes)};
  made.definition = planned.places->identity;
  if (planned.part == CellPart::name) {
    made.type = ElementType::character;
    made.values = std::make_shared<const BytesOfNames>(planned);
    return made;
  }
  made.compression = planned.storage.compression;
  made.values = std::make_shared<const BytesOfPlaces>(planned, cells);
  return made;
}

std::vector<FileStatic> statics_of(const PlannedScalar& scalar) {
  FileStatic made{scalar.name, ElementType::float64, {}, converted(scalar.attributes)};
  made.has_no_fill_value = true;
  const auto in_memory = [](const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return std::make_shared<const BytesInMemory>(std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  if (const auto* const text = std::get_if<std::string>(&scalar.value)) {
    made.type = ElementType::character;
    made.values = in_memory(*text);
    return {made};
  }
  made.values = in_memory(std::vector<double>{std::get<double>(scalar.value)});
  if (scalar.bounds.empty()) return {made};
  FileStatic bounds{scalar.name + "_bnds", ElementType::float64, {}, {}};
  bounds.has_no_fill_value = true;
  bounds.values = in_memory(scalar.bounds);
  made.attributes.push_back({"bounds", bounds.name});
  return {made, bounds};
}

FileStatic static_of(const Container& container) {
  FileStatic made{container.name, ElementType::int32, {}, converted(container.attributes)};
  made.values = std::make_shared<const BytesInMemory>(std::vector<std::byte>(size_bytes(ElementType::int32)));
  made.has_no_fill_value = true;
  return made;
}

void add_rounding(const Storage& storage, std::vector<FileAttribute>& attributes) {
  const std::int64_t bits = storage.significant_bits;
  if (bits > 0) attributes.push_back({kRoundedBits, bits});
  if (storage.information > 0)
    attributes.push_back({kPrecisionFrom, "information " + shortest(storage.information)});
  if (storage.step > 0) attributes.push_back({"rounded_to_multiples_of", storage.step});
}

std::vector<FileAttribute> rounding_attributes(int bits) {
  return {{kRoundedBits, std::int64_t{bits}},
          {"quantization_nsb", std::int64_t{bits}},
          {"quantization_maximum_relative_error", std::ldexp(1.0, -bits - 1)}};
}

void describe_rounding(FileDefinition& definition) {
  const std::string name = "quantization_info";
  const auto has_name = [&](const auto& all) {
    return std::ranges::any_of(all, [&](const auto& one) { return one.name == name; });
  };
  if (has_name(definition.variables) || has_name(definition.statics) || has_name(definition.dimensions) ||
      has_name(definition.axes))
    return;
  bool is_any = false;
  const auto describe = [&](std::vector<FileAttribute>& attributes) {
    const auto has = [&](const char* what) {
      return std::ranges::find(attributes, what, &FileAttribute::name) != attributes.end();
    };
    if (has(kPrecisionFrom)) {  // how many bits is known at the end
      attributes.push_back({"quantization", name});
      is_any = true;
    }
    if (!has(kRoundedBits)) return;
    const auto found = std::ranges::find(attributes, kRoundedBits, &FileAttribute::name);
    const auto bits = std::get<std::int64_t>(found->value);
    attributes.push_back({"quantization", name});
    attributes.push_back({"quantization_nsb", bits});
    attributes.push_back(
        {"quantization_maximum_relative_error", std::ldexp(1.0, -static_cast<int>(bits) - 1)});
    is_any = true;
  };
  for (FileVariable& one : definition.variables) describe(one.attributes);
  for (FileStatic& one : definition.statics) describe(one.attributes);
  if (!is_any) return;
  // Without the version, which the file says anyway: another one may go on with it.
  definition.statics.push_back(static_of(
      {name, {{"algorithm", std::string("bitround")}, {"implementation", std::string("Pileus")}}, {}}));
}

FileDefinition with_its_identity(FileDefinition definition, const std::string& name, const RunIdentity& run) {
  const std::string kNone = "00000000-0000-0000-0000-000000000000", kNoDate = "0000-00-00T00:00:00Z";
  std::string all = name + '\n' + run.history;
  for (const FileAttribute& one : definition.attributes)
    if (const auto* text = std::get_if<std::string>(&one.value)) all += '\n' + one.name + '\n' + *text;
  for (FileAttribute& one : definition.attributes) {
    auto* const text = std::get_if<std::string>(&one.value);
    if (text == nullptr) continue;
    if (one.name == "creation_date" && *text == kNoDate && run.history.size() >= kNoDate.size())
      *text = run.history.substr(0, kNoDate.size());
    if (one.name != "tracking_id" || !text->ends_with(kNone)) continue;
    std::string uuid = planning::sha256(all).substr(0, 32);
    uuid[12] = '8';                                               // RFC 9562: made by a rule of its own
    uuid[16] = "89ab"[static_cast<unsigned char>(uuid[16]) % 4];  // and of this variant
    for (const std::size_t at : {8U, 13U, 18U, 23U}) uuid.insert(at, "-");
    text->replace(text->size() - kNone.size(), kNone.size(), uuid);
  }
  return definition;
}

}  // namespace pileus
