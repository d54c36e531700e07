#include "publishing/owner/file_history.h"

#include "publishing/owner/rebuild.h"

namespace pileus {

std::vector<NewSum> FileHistory::unsummed(const std::vector<Index>& records) const {
  std::vector<NewSum> sums;
  for (std::size_t axis = 0; axis < records.size(); ++axis) {
    for (std::size_t record = 0; record < static_cast<std::size_t>(records[axis]); ++record) {
      const RecordBytes& known = bytes.at(axis).at(record);
      if (!known.is_summed) sums.push_back({axis, record, known});
    }
  }
  return sums;
}

void FileHistory::add(const std::vector<NewSum>& sums) {
  for (const NewSum& sum : sums) bytes.at(sum.axis).at(sum.record) = sum.bytes;
}

void sum_up(FileSystem& files, const std::string& path, std::vector<NewSum>& sums) {
  if (sums.empty()) return;
  const auto file = files.open_source(path);
  for (NewSum& sum : sums) {
    sum.bytes.checksum = checksum_of(*file, sum.bytes.ranges);
    sum.bytes.is_summed = true;
  }
}

}  // namespace pileus
