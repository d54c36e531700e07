#include "formats/netcdf/known_file.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "formats/netcdf/sized_file.h"

namespace pileus::netcdf {
namespace {

/// A file whose metadata are more is not learnt from.
constexpr std::uint64_t kMostImage = std::uint64_t{8} << 20;

}  // namespace

KnownFile::KnownFile(std::string path, std::shared_ptr<KnownSeries> series, FileSystem& files)
    : path_(std::move(path)), series_(std::move(series)), files_(&files) {}

const KnownChange* KnownFile::next(std::optional<std::uint32_t> axis) const {
  const bool may_be_known = series_ && (place_ == 0 || is_repeated_);
  return may_be_known ? series_->find(place_, axis) : nullptr;
}

void KnownFile::repeat(const KnownChange& change, std::span<const ValuesAt> values) {
  {
    const auto file = files_->open_parts(path_);
    for (const Patch& patch : change.patches) file->write_at(patch.offset, patch.bytes);
    for (const ValuesAt& one : values) file->write_at(one.offset, one.bytes);
  }
  if (size_of(path_) != change.size_bytes) set_size(path_, change.size_bytes);
  is_repeated_ = true;
  ++place_;
}

void KnownFile::learn(std::optional<std::uint32_t> axis, std::vector<std::uint64_t> addresses,
                      const DataRanges& data) {
  if (!series_ || is_repeated_) return leave();
  // New data are zeros where the file had nothing before; elsewhere something else might lie there.
  const bool is_behind = std::ranges::all_of(data, [&](const auto& range) {
    return data_.contains(range.first) || range.first >= image_.size_bytes();
  });
  data_.insert(data.begin(), data.end());
  try {
    std::optional<FileImage> image;
    if (is_behind) image = FileImage::read(*files_->open_source(path_), data_, kMostImage);
    if (!image) return leave();
    KnownChange change{axis, image->size_bytes(), image->changes_since(image_), std::move(addresses)};
    image_ = std::move(*image);
    if (!series_->learn(place_++, std::move(change))) leave();
  } catch (const OutputError&) {
    leave();  // the file itself is well, as far as anybody knows
  }
}

void KnownFile::leave() {
  series_.reset();
  image_ = {};
  data_.clear();
}

}  // namespace pileus::netcdf
