#include "publishing/check_frames.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {
namespace {

void require(bool is_true, const char* what) {
  if (!is_true)
    throw TransportError(std::string("a server spoke of ") + what + " that the plan does not know");
}

void check_file(const Plan& plan, FilePeriod file) { require(file.file.index < plan.files.size(), "a file"); }

void check_axis(const Plan& plan, FileId file, std::uint32_t axis) {
  require(axis < plan[file].schedules.size(), "a time axis");
}

void check_chunk(const Packing* packing, VariableId variable, std::uint32_t chunk) {
  const std::size_t chunks = packing ? packing->chunks(variable).size() : 0;
  require(chunk < std::max<std::size_t>(1, chunks), "a chunk");
}

void check_missing(const Plan& plan, FileId file, const std::vector<MissingPart>& missing) {
  for (const MissingPart& part : missing) {
    require(part.variable < plan[file].variables.size(), "a variable");
    check_client(plan, part.client);
  }
}

void check_part(const Plan& plan, FileId file, const PartOfFile& part) {
  if (part.name.empty()) return;
  require(plan[file].on_disk.is_in_parts, "a part of a file");
  require(part.end.size() == plan[file].schedules.size(), "a time axis");
  for (const PartDataset& dataset : part.datasets) {
    require(dataset.variable < plan[file].variables.size(), "a variable");
    const Variable& variable = plan[plan[file].variables[dataset.variable]];
    require(dataset.region.count.size() == variable.dimensions.size(), "a box");
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      const Index size = plan[variable.dimensions[d]].size;
      require(dataset.region.count[d] <= size - dataset.region.start[d], "a box");
    }
  }
}

}  // namespace

void check_client(const Plan& plan, ClientRank client) {
  require(client < plan.layout.clients, "a model rank");
}

void check(const Plan& plan, const Placement& placement) {
  check_file(plan, placement.file);
  const FileId file = placement.file.file;
  check_axis(plan, file, placement.axis);
  const AxisGrowth& growth = placement.growth;
  require(growth.first_record >= 0 && growth.records >= 0, "records");
  for (const auto& [variable, records] : growth.variables) {
    require(variable < plan[file].variables.size(), "a variable");
    const VariableId id = plan[file].variables[variable];
    require(plan[id].schedule == plan[file].schedules[placement.axis], "a variable of the time axis");
    require(std::ssize(records) <= growth.records, "records");
  }
}

void check(const Plan& plan, const Progress& progress) {
  check_file(plan, progress.file);
  check_axis(plan, progress.file.file, progress.axis);
  require(progress.written >= 0 && progress.written <= progress.certain, "records");
  for (const Progress::Learned& one : progress.learned) {
    require(one.variable < plan[progress.file.file].variables.size(), "a variable");
    require(one.record >= 0 && one.bits >= 0 && one.bits <= 52, "bits");
  }
  for (const Progress::Decided& one : progress.decided) {
    const auto& variables = plan[progress.file.file].variables;
    require(one.variable < variables.size() && plan[variables[one.variable]].storage.write_if.has_value(),
            "a variable whose records are compared");
    require(one.record >= 0, "a record");
  }
}

void check(const Plan& plan, const Closing& closing) {
  check_file(plan, closing.file);
  const bool says_only_that_none_follows = closing.is_last && closing.records.empty();
  require(says_only_that_none_follows || closing.records.size() == plan[closing.file.file].schedules.size(),
          "a time axis");
  for (Index records : closing.records) require(records >= 0, "records");
}

void check(const Plan& plan, const PartsDone& done) {
  check_file(plan, done.file);
  check_missing(plan, done.file.file, done.missing);
  check_part(plan, done.file.file, done.part);
}

void check(const Plan& plan, const Cut& cut) {
  check_file(plan, cut.file);
  require(cut.records.size() == plan[cut.file.file].schedules.size(), "a time axis");
  for (Index records : cut.records) require(records >= 0, "records");
}

void check(const Plan& plan, const CutSynced& synced) {
  check_file(plan, synced.file);
  check_missing(plan, synced.file.file, synced.missing);
  check_part(plan, synced.file.file, synced.part);
  for (const ComparedChunk& one : synced.compared) {
    const auto& variables = plan[synced.file.file].variables;
    require(one.variable < variables.size() && plan[variables[one.variable]].storage.write_if.has_value(),
            "a variable whose records are compared");
  }
}

void check(const Plan& plan, const Packing* packing, const Part& part) {
  require(part.record.variable.index < plan.variable_count(), "a variable");
  require(part.record.mark.record >= 0, "a record");
  check_client(plan, part.client);
  check_chunk(packing, part.record.variable, part.chunk);
}

void check_static(const Plan& plan, const Part& part) {
  const std::uint32_t index = part.record.variable.index;
  require(index < plan.statics.size(), "a static variable");
  check_client(plan, part.client);
  const std::vector<Index> extents = plan.extents(plan.statics[index].value);
  const Region& region = part.record.region;
  require(region.count.size() == extents.size(), "a part");
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const bool is_inside = region.start[d] >= 0 && region.count[d] <= extents[d] - region.start[d];
    require(is_inside, "a part");
  }
}

void check(const Plan& plan, const Packing* packing, const PackedPart& part) {
  check_file(plan, part.file);
  const auto& variables = plan[part.file.file].variables;
  require(part.variable < variables.size(), "a variable");
  require(part.record >= 0, "a record");
  require(packing && plan[variables[part.variable]].storage.compression.is_packed(), "a compressed variable");
  check_chunk(packing, variables[part.variable], part.chunk);
  const bool is_compared = plan[variables[part.variable]].storage.write_if.has_value();
  require(is_compared || !(part.difference || part.is_late), "a variable whose records are compared");
  if (part.pairs.bits.empty()) return;
  const Variable& variable = plan[variables[part.variable]];
  require(variable.storage.information > 0 && part.pairs.bits.size() == 8 * size_bytes(variable.type) &&
              part.pairs.pairs >= 0,
          "bits");
}

}  // namespace pileus
