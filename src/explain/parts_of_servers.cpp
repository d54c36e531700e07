#include "explain/parts_of_servers.h"

#include "files/file_names.h"
#include "publishing/parts/part_log.h"
#include "publishing/writer_shares.h"

namespace pileus::explain {

std::vector<PartOfFile> parts_of_servers(const Plan& plan, const FileFormat& format, FilePeriod file,
                                         const std::vector<Index>& records) {
  const RunIdentity run{"0123456789abcdef", ""};  // as long as that of any run
  const FileNames names(plan, run, "");
  std::vector<PartOfFile> parts(plan.layout.servers);
  for (ServerRank server = 0; server < plan.layout.servers && plan[file.file].on_disk.is_in_parts; ++server) {
    const WriterShares shares(plan, server, false, format);
    const OwnPieces own(plan, shares.share({}));
    PartOfFile& part = parts[server];
    part = {names.part_beside(file, server), std::vector<Index>(records.size(), 0), records,
            boxes_here(plan, own, file.file)};
    std::erase_if(part.datasets,
                  [&](const PartDataset& one) { return records[own.axis_of(file.file, one.variable)] == 0; });
    if (part.datasets.empty()) part.name.clear();
  }
  return parts;
}

}  // namespace pileus::explain
