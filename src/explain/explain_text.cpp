// The explanation as text, for people.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "explain/explanation.h"
#include "explain/on_disk_text.h"

namespace pileus::explain {
namespace {

constexpr std::size_t kShownFiles = 3;  ///< shown of each series; the others are summed up

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string count_text(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "21520 bytes", "21520000 bytes (21.5 MB)"
std::string bytes_text(std::uint64_t bytes) {
  std::string text = count_text(static_cast<std::int64_t>(bytes), "byte");
  if (bytes < 1'000'000) return text;
  char rounded[32];
  const double size = static_cast<double>(bytes);
  std::snprintf(rounded, sizeof rounded, bytes < 1'000'000'000 ? " (%.1f MB)" : " (%.1f GB)",
                bytes < 1'000'000'000 ? size / 1e6 : size / 1e9);
  return text + rounded;
}

std::string size_text(const ExpectedFile& file) {
  if (file.most_bytes)
    return "at most " + bytes_text(*file.most_bytes) + ", of " + bytes_text(file.packed_bytes) +
           " before they are packed";
  if (!file.size_bytes) return "of a size that is not known, as it cannot be laid out here";
  if (file.parts_bytes > 0)
    return bytes_text(*file.size_bytes) + " and " + bytes_text(file.parts_bytes) + " in parts of servers" +
           (file.packed_bytes > 0 ? ", and what compression leaves of " + bytes_text(file.packed_bytes) : "");
  if (file.packed_bytes == 0) return bytes_text(*file.size_bytes);
  return "at least " + bytes_text(*file.size_bytes) + ", and what compression leaves of " +
         bytes_text(file.packed_bytes);
}

/// How numbers are packed, and how far they may then be from what they were; "" for others.
std::string packing_text(const Compression& compression) {
  if (compression.together == 0) return "";
  const std::string name = std::string("; ") + compression.codec->name + ", ";
  if (compression.decimals) {
    return name + count_text(*compression.decimals, "decimal place") + ": errors up to " +
           number(0.5 * std::pow(10, -*compression.decimals)) + ", as far as 32 bits have them";
  }
  return name + count_text(compression.bits, "bit") + ": errors up to the range of each level / " +
         number(std::ldexp(1.0, compression.bits) - 1);
}

std::string records_text(const Plan& plan, const ExpectedFile& file) {
  std::string text;
  const auto& schedules = plan[file.file].schedules;
  for (std::size_t axis = 0; axis < schedules.size(); ++axis) {
    if (file.records[axis] == 0) continue;
    text += (text.empty() ? "" : ", ") + count_text(file.records[axis], "record");
    if (schedules.size() > 1) text += " of " + plan[schedules[axis]].dimension;
  }
  return text;
}

std::string file_text(const Plan& plan, const ExpectedFile& file) {
  const bool is_one = file.first_record_s == file.last_record_s;
  std::string text = "    " + file.name + ": " + records_text(plan, file) +
                     (is_one ? " at " : " from " + number(file.first_record_s) + " to ") +
                     number(file.last_record_s) + " s, ";
  if (!file.is_complete) return text + "and more after these steps\n";
  return text + size_text(file) + ", written after the step to " + number(file.complete_s) + " s\n";
}

std::string total_text(const std::vector<const ExpectedFile*>& files) {
  std::uint64_t bytes = 0;
  for (const ExpectedFile* file : files) bytes += file->size_bytes.value_or(0);
  return "    " + count_text(static_cast<std::int64_t>(files.size()), "file") + " in all, " +
         bytes_text(bytes) + "\n";
}

std::string files_text(const Explanation& all) {
  std::string text = "Files\n";
  const PackedVariables packed(all.plan);
  for (std::uint32_t f = 0; f < all.plan.files.size(); ++f) {
    const PlannedFile& series = all.plan.files[f];
    text += "  " + series.name + ": " + sequence_text(series) + ", owned by server " +
            std::to_string(series.owner) + "\n" + on_disk_text(all.plan, FileId(f), packed);
    for (VariableId id : series.variables) {
      const Variable& variable = all.plan[id];
      text += "    " + variable.name + ": " + shape_text(all.plan, variable) + ", " +
              schedule_text(all.plan[variable.schedule]) + packing_text(variable.storage.compression) + "\n";
    }
    for (const Variable& variable : all.plan.statics) {
      if (variable.file == FileId(f))
        text += "    " + variable.name + ": " + shape_text(all.plan, variable) +
                ", static: once in each file" + packing_text(variable.storage.compression) + "\n";
    }
    for (const PlannedPlaces& one : series.places)
      text += "    " + one.name + ": of the cells of " + one.places->grid + ", static: once in each file\n";
    for (const Container& container : series.containers)
      text += "    " + container.name + ": one number, which is there for its attributes\n";
    if (series.trigger)
      text +=
          "    records come while trigger \"" + all.plan.triggers[*series.trigger].name + "\" is on" +
          pileus::text(series.schedules.empty() ? Lookback() : all.plan[series.schedules.back()].lookback) +
          ": what follows is as if it always were\n";
    if (series.drops_records()) {
      text += std::string("    ") +
              (series.when_memory_full == WhenMemoryFull::thin ? "every second record" : "every record") +
              " is left out while servers are behind and have no memory (when_memory_full=\"" +
              std::string(name(series.when_memory_full)) + "\")\n";
    }
    if (series.when_memory_full == WhenMemoryFull::spill) {
      text +=
          "    while servers are behind and have no memory, what the model hands over is laid aside on their "
          "disks (when_memory_full=\"spill\")\n";
    }
    std::vector<const ExpectedFile*> files;
    for (const ExpectedFile& file : all.files) {
      if (file.file == FileId(f)) files.push_back(&file);
    }
    if (files.empty()) text += "    no record in these steps\n";
    for (std::size_t i = 0; i < std::min(files.size(), kShownFiles); ++i)
      text += file_text(all.plan, *files[i]);
    if (files.size() > kShownFiles) text += total_text(files);
  }
  return text;
}

std::string uses_text(const Plan& plan, const RuleCost& cost) {
  std::set<std::string> names;
  for (VariableId id : cost.uses) names.insert(plan[id].name);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "for " : ", ") + name;
  return text;
}

std::string rules_text(const Explanation& all) {
  if (all.rules.empty()) return "Rules\n  none: files hold what the model hands over\n";
  std::string text = "Rules\n";
  for (const RuleCost& cost : all.rules) {
    text += "  " + all.plan[cost.rule].name + ": " + cost.what + "\n    " + cost.where + "; in " +
            count_text(cost.steps, "step");
    text += cost.operations > 0 ? ", " + count_text(cost.operations, "operation") + " on each of " +
                                      count_text(cost.elements, "element") + " a step"
                                : ", on " + count_text(cost.elements, "element") + " a step";
    text += "\n    " + uses_text(all.plan, cost) + "\n";
  }
  return text;
}

std::string handed_over_text(const Explanation& all) {
  std::string text;
  for (const HandedOver& one : all.handed_over) {
    text += "  " + all.plan[one.field].name + ": " + one.what + "\n    " + bytes_text(one.bytes) +
            " a step instead of " + bytes_text(one.whole_bytes) + ", on " +
            count_text(static_cast<std::int64_t>(one.ranks), "model rank") +
            (one.is_for_far_servers ? ", where the server is on another node" : "") + "\n";
  }
  return text.empty() ? "" : "In place of fields\n" + text;
}

std::string traffic_text(const Traffic& least, const Traffic& most) {
  std::string text = std::to_string(least.messages);
  if (most.messages != least.messages) text += " to " + std::to_string(most.messages);
  text += least.messages == 1 && most.messages == 1 ? " message, " : " messages, ";
  if (most.bytes == least.bytes) return text + bytes_text(static_cast<std::uint64_t>(least.bytes));
  return text + std::to_string(least.bytes) + " to " + bytes_text(static_cast<std::uint64_t>(most.bytes));
}

std::string per_step(const Traffic& traffic, std::size_t steps) {
  if (steps == 0) return "";
  const auto count = static_cast<double>(steps);
  char text[64];
  std::snprintf(text, sizeof text, " (%.4g and %.6g bytes a step)",
                static_cast<double>(traffic.messages) / count, static_cast<double>(traffic.bytes) / count);
  return text;
}

std::string between_servers_text(const Explanation& all) {
  if (all.plan.layout.servers == 1) return "Between servers\n  nothing: there is one\n";
  std::string text = "Between servers\n";
  for (std::size_t server = 0; server < all.run.of_server.size(); ++server) {
    const ExpectedTraffic& traffic = all.run.of_server[server];
    Traffic least, most;
    std::string kinds;
    for (std::size_t kind = 0; kind < kServerFrameNames.size(); ++kind) {
      if (traffic.most[kind].messages == 0) continue;
      least += traffic.least[kind];
      most += traffic.most[kind];
      kinds += "    " + std::string(kServerFrameNames[kind]) + ": " +
               traffic_text(traffic.least[kind], traffic.most[kind]) + "\n";
    }
    text += "  server " + std::to_string(server) + " sends " + traffic_text(least, most) + "\n" + kinds;
  }
  return text;
}

std::string messages_text(const Explanation& all) {
  const std::size_t steps = all.steps.steps.size();
  const Traffic model = from_model(all.run);
  std::string text =
      "From the model to the servers\n  " + traffic_text(model, model) + per_step(model, steps) + "\n";
  const auto& ranks = all.run.from_ranks;
  const auto most = std::ranges::max_element(ranks, {}, &Traffic::bytes);
  text += "  most from model rank " + std::to_string(most - ranks.begin()) + ": " +
          traffic_text(*most, *most) + "\n";
  text += between_servers_text(all);
  for (const std::string& what : all.run.not_counted) text += "  not counted: " + what + "\n";
  return text;
}

std::string steps_text(const Steps& all) {
  const bool has_initial_state = all.steps.front().is_initial();
  const std::span<const Step> steps = std::span(all.steps).subspan(has_initial_state ? 1 : 0);
  if (steps.empty()) return "the state at the start alone\n";
  const auto [least, most] = std::ranges::minmax(steps, {}, &Step::length);
  return (has_initial_state ? "the state at the start, " : "") + count_text(std::ssize(steps), "step") +
         " of " + number(least.length) + (most.length > least.length ? " to " + number(most.length) : "") +
         " s, from " + number(all.start_time_s) + " to " + number(all.steps.back().time) + " s" +
         (all.is_whole_run ? "\n" : "; --steps says how many the whole run has\n");
}

/// The parts that the memory is made of.
std::string parts_text(const ExpectedMemory& memory) {
  const std::pair<const char*, std::uint64_t> parts[] = {
      {"windows and static fields", memory.window_bytes},
      {"parcels of the largest step", memory.parcel_bytes},
      {"buffers of other parcels", memory.spare_bytes},
      {"records of windows", memory.record_bytes},
      {"results of rules", memory.result_bytes},
      {"to compress, at most", memory.packing_bytes},
      {"slabs of a record, on their way", memory.slab_bytes},
      {"copies for a checkpoint", memory.checkpoint_bytes}};
  std::string text;
  for (const auto& [what, bytes] : parts) {
    if (bytes > 0) text += "    " + std::string(what) + ": " + bytes_text(bytes) + "\n";
  }
  return text;
}

std::string memory_text(const Explanation& all) {
  std::string text = "Memory\n";
  for (std::size_t server = 0; server < all.memory.size(); ++server) {
    const ExpectedMemory& memory = all.memory[server];
    text += "  server " + std::to_string(server) + ": " + bytes_text(memory.keeps_up_bytes()) +
            " if it keeps up with the model; if not, at most " + bytes_text(memory.most_bytes) +
            ", with parcels of " + bytes_text(memory.most_parcel_bytes) + " under way\n" + parts_text(memory);
  }
  return text + "  and each server process itself, with MPI and the file libraries: some " +
         bytes_text(kProgramBytes) + "\n";
}

std::string advice_text(const Explanation& all) {
  std::string text;
  for (const std::string& sentence : all.advice) text += "  " + sentence + "\n";
  return text.empty() ? text : "How many servers\n" + text;
}

std::string inputs_text(const Explanation& all) {
  std::string text = all.inputs.empty() ? "" : "\nwhat servers read for the model:\n";
  for (const ExpectedInput& input : all.inputs) {
    text += "  " + input.name + " from " + input.source + ", " + input.how + ": " +
            bytes_text(input.record_bytes) + " a record";
    if (input.problem.empty())
      text += ", " + count_text(input.records, "record") + " in " + count_text(input.messages, "message") +
              " to model ranks\n";
    else
      text += "; not for all of these steps: " + input.problem + "\n";
    text += "    memory, where ranks share its values: at most " + bytes_text(input.held_bytes) +
            " on all model ranks together, and as much on servers\n";
  }
  return text;
}

}  // namespace

std::string text_of(const Explanation& all) {
  const Layout& layout = all.plan.layout;
  return all.configuration + " with " + all.model + ": " + count_text(layout.clients, "model rank") + ", " +
         count_text(layout.servers, "server") + "\n" + steps_text(all.steps) + files_text(all) +
         rules_text(all) + handed_over_text(all) + messages_text(all) + memory_text(all) + inputs_text(all) +
         advice_text(all);
}

}  // namespace pileus::explain
