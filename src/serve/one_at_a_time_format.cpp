#include "serve/one_at_a_time_format.h"

#include <mutex>
#include <string>

namespace pileus {
namespace {

/// Guards the file library, whose state is the process's; strands belong to one run and would not do.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

class TurnTakingWriter : public FileWriter {
 public:
  explicit TurnTakingWriter(std::unique_ptr<FileWriter> inner) : inner_(std::move(inner)) {}
  ~TurnTakingWriter() override {
    const std::lock_guard lock(library_mutex());
    inner_.reset();
  }
  AxisGrowth grow(std::uint32_t axis) override {
    const std::lock_guard lock(library_mutex());
    return inner_->grow(axis);
  }
  void write_packed(Index record, std::span<const PackedRecord> variables) override {
    const std::lock_guard lock(library_mutex());
    inner_->write_packed(record, variables);
  }
  std::vector<std::uint64_t> packed_offsets(std::uint32_t variable, Index records) override {
    const std::lock_guard lock(library_mutex());
    return inner_->packed_offsets(variable, records);
  }
  void take_times(std::uint32_t axis, Index record, const RecordTimes& times) override {
    const std::lock_guard lock(library_mutex());
    inner_->take_times(axis, record, times);
  }
  void remark(const std::string& name, const std::string& text) override {
    const std::lock_guard lock(library_mutex());
    inner_->remark(name, text);
  }
  void remark_on(std::uint32_t variable, const FileAttribute& attribute) override {
    const std::lock_guard lock(library_mutex());
    inner_->remark_on(variable, attribute);
  }
  void take_parts(std::vector<PartOfFile> parts, std::vector<PartVariable> variables) override {
    inner_->take_parts(std::move(parts), std::move(variables));
  }
  void finish(std::span<const Index> records_of_axis) override {
    const std::lock_guard lock(library_mutex());
    inner_->finish(records_of_axis);
  }
  void put_beside(const PutBytes& put) override {
    const std::lock_guard lock(library_mutex());
    inner_->put_beside(put);
  }

 private:
  std::unique_ptr<FileWriter> inner_;
};

class TurnTakingSource : public InputSource {
 public:
  explicit TurnTakingSource(std::unique_ptr<InputSource> inner) : inner_(std::move(inner)) {}
  ~TurnTakingSource() override {
    const std::lock_guard lock(library_mutex());
    inner_.reset();
  }
  InputHeader header(const std::string& variable) override {
    const std::lock_guard lock(library_mutex());
    return inner_->header(variable);
  }
  void read(const InputHeader& header, Index record, const Region& part, std::span<double> values) override {
    const std::lock_guard lock(library_mutex());
    inner_->read(header, record, part, values);
  }

 private:
  std::unique_ptr<InputSource> inner_;
};

class TurnTakingFormat : public FileFormat {
 public:
  explicit TurnTakingFormat(std::unique_ptr<FileFormat> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<FileWriter> create(const std::string& path, const FileDefinition& definition) override {
    const std::lock_guard lock(library_mutex());
    return std::make_unique<TurnTakingWriter>(inner_->create(path, definition));
  }
  std::vector<Region> packed_regions(const std::vector<Index>& extents, ElementType type,
                                     const Compression& compression) const override {
    return inner_->packed_regions(extents, type, compression);
  }
  /// Many threads may pack at a time, as packing uses no state of the library.
  PackedChunk pack(std::span<const std::byte> chunk, ElementType type,
                   const Compression& compression) const override {
    return inner_->pack(chunk, type, compression);
  }
  EndOfPart end_of_part(const PartOfFile& part, const std::vector<PartVariable>& variables,
                        std::uint64_t size_bytes) const override {
    return inner_->end_of_part(part, variables, size_bytes);
  }
  std::uint64_t chunks_in_part(std::span<const std::byte> head) const override {
    return inner_->chunks_in_part(head);
  }
  std::vector<std::string> parts_of(const std::string& path) override {
    const std::lock_guard lock(library_mutex());
    return inner_->parts_of(path);
  }
  Index records_of_stretch(const FileDefinition& definition, std::uint32_t axis) const override {
    return inner_->records_of_stretch(definition, axis);
  }
  LinkRows read_links(const std::string& path, const GridsOfWeights& grids, Index first,
                      Index count) override {
    const std::lock_guard lock(library_mutex());
    return inner_->read_links(path, grids, first, count);
  }
  GridOfFile read_grid(const std::string& path) override {
    const std::lock_guard lock(library_mutex());
    return inner_->read_grid(path);
  }
  std::array<std::vector<double>, 2> read_places(const std::string& path, Index first, Index count) override {
    const std::lock_guard lock(library_mutex());
    return inner_->read_places(path, first, count);
  }
  std::unique_ptr<InputSource> open_input(const std::string& path) override {
    const std::lock_guard lock(library_mutex());
    return std::make_unique<TurnTakingSource>(inner_->open_input(path));
  }

 private:
  std::unique_ptr<FileFormat> inner_;
};

}  // namespace

std::unique_ptr<FileFormat> one_at_a_time(std::unique_ptr<FileFormat> format) {
  return std::make_unique<TurnTakingFormat>(std::move(format));
}

}  // namespace pileus
