#include "files/file_attributes.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "core/error.h"

namespace pileus {
namespace {

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

FileStatic static_of_places(const PlannedPlaces& planned, const Plan& plan) {
  FileStatic made{planned.name, ElementType::float64, {}, converted(planned.attributes)};
  made.definition = planned.places->identity;
  if (planned.part == CellPart::name) {
    made.type = ElementType::character;
    made.values = std::make_shared<const BytesOfNames>(planned);
    return made;
  }
  made.compression = {planned.storage.deflate, planned.storage.is_shuffled};
  Index cells = 1;
  for (const DimensionId id : planned.dimensions) cells *= plan[id].size;
  made.values = std::make_shared<const BytesOfPlaces>(planned, cells);
  return made;
}

}  // namespace pileus
