// The explanation as JSON, for programs.

#include <cmath>
#include <nlohmann/json.hpp>

#include "explain/explanation.h"
#include "explain/on_disk_text.h"

namespace pileus::explain {
namespace {

using Json = nlohmann::ordered_json;

Json of(const AttributeNumbers& numbers) {
  return numbers.integers.empty() ? Json(numbers.reals) : Json(numbers.integers);
}

Json of(const std::vector<Attribute>& attributes) {
  Json out = Json::object();
  for (const Attribute& attribute : attributes) {
    out[attribute.name] = std::visit(
        [](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, AttributeNumbers>) {
            return of(value);
          } else {
            return Json(value);
          }
        },
        attribute.value);
  }
  return out;
}

Json dimensions_of(const Plan& plan, const Variable& variable) {
  Json dimensions = Json::array();
  const Extents sizes = plan.extents_in_file(variable);
  for (std::size_t d = sizes.size(); d-- > 0;)
    dimensions.push_back({{"name", plan[variable.dimensions[d]].name}, {"size", sizes[d]}});
  return dimensions;
}

void add_compression(const Compression& compression, Json& out) {
  if (compression.together > 0) {
    out["packing"] = compression.codec->name;
    if (compression.decimals) {
      out["decimal_scale"] = *compression.decimals;
      out["error_bound"] = 0.5 * std::pow(10, -*compression.decimals);
    } else {
      out["bits_per_value"] = compression.bits;
      out["error_bound_of_range"] = 1 / (std::ldexp(1.0, compression.bits) - 1);
    }
    return;
  }
  if (compression.is_packed() && compression.codec != &codecs::plain())
    out[compression.codec->name] = compression.level;
}

Json of_static(const Plan& plan, const Variable& variable) {
  Json out = {{"name", variable.name},
              {"type", std::string(name(variable.type))},
              {"dimensions", dimensions_of(plan, variable)},
              {"when", "once in each file"},
              {"static", true},
              {"attributes", of(variable.attributes)}};
  add_compression(variable.storage.compression, out);
  return out;
}

Json of(const Plan& plan, const Variable& variable) {
  const Schedule& schedule = plan[variable.schedule];
  Json out = {{"name", variable.name},
              {"type", std::string(name(variable.type))},
              {"dimensions", dimensions_of(plan, variable)},
              {"time_manipulation", text(schedule.stages) + schedule.manipulation->name},
              {"when", schedule_text(schedule)},
              {"time_dimension", schedule.dimension},
              {"attributes", of(variable.attributes)}};
  add_compression(variable.storage.compression, out);
  return out;
}

Json of(const Plan& plan, const ExpectedFile& file) {
  Json records = Json::object();
  const auto& schedules = plan[file.file].schedules;
  for (std::size_t axis = 0; axis < schedules.size(); ++axis)
    records[plan[schedules[axis]].dimension] = file.records[axis];
  Json out = {{"name", file.name},
              {"is_complete", file.is_complete},
              {"records", std::move(records)},
              {"first_record_s", file.first_record_s},
              {"last_record_s", file.last_record_s}};
  if (file.is_complete) out["complete_after_s"] = file.complete_s;
  if (file.packed_bytes > 0) out["before_compression_bytes"] = file.packed_bytes;
  if (file.is_complete && file.most_bytes) out["most_bytes"] = *file.most_bytes;
  if (file.is_complete && file.size_bytes)
    out[file.packed_bytes > 0 ? "least_bytes" : "size_bytes"] = *file.size_bytes;
  return out;
}

Json of_places(const Plan& plan, const PlannedPlaces& places) {
  Variable variable;
  variable.name = places.name;
  if (places.part == CellPart::name) variable.type = ElementType::character;
  variable.attributes = places.attributes;
  variable.dimensions = places.dimensions;
  variable.storage = places.storage;
  Json out = of_static(plan, variable);
  if (!places.within.empty())
    out["dimensions"].push_back({{"name", places.within}, {"size", places.of_cell}});
  return out;
}

Json of_series(const Explanation& all, std::uint32_t f, const PackedVariables& packed) {
  const PlannedFile& series = all.plan.files[f];
  Json variables = Json::array(), files = Json::array();
  for (VariableId id : series.variables) variables.push_back(of(all.plan, all.plan[id]));
  for (const Variable& variable : all.plan.statics) {
    if (variable.file == FileId(f)) variables.push_back(of_static(all.plan, variable));
  }
  for (const PlannedPlaces& one : series.places) variables.push_back(of_places(all.plan, one));
  for (const ExpectedFile& file : all.files) {
    if (file.file == FileId(f)) files.push_back(of(all.plan, file));
  }
  const std::optional<SlabsOfFile> slabs = slabs_of_file(all.plan, FileId(f), packed);
  Json trigger = series.trigger ? Json(all.plan.triggers[*series.trigger].name) : Json();
  return {{"name", series.name},
          {"when", sequence_text(series)},
          {"trigger", std::move(trigger)},
          {"owner", series.owner},
          {"when_memory_full", name(series.when_memory_full)},
          {"write_bytes", series.on_disk.write_bytes},
          {"align_bytes", series.on_disk.alignment()},
          {"parts", series.on_disk.is_in_parts ? "server" : "one"},
          {"writers", writers_of_file(all.plan, FileId(f), packed)},
          {"slab_bytes", slabs ? Json(slabs->longest_bytes) : Json()},
          {"variables", std::move(variables)},
          {"files", std::move(files)}};
}

Json of(const Explanation& all, const RuleCost& cost) {
  Json uses = Json::array();
  for (VariableId id : cost.uses)
    uses.push_back({{"file", all.plan[all.plan[id].file].name}, {"variable", all.plan[id].name}});
  return {{"name", all.plan[cost.rule].name},
          {"what", cost.what},
          {"where", cost.where},
          {"steps", cost.steps},
          {"runs", cost.runs},
          {"elements_per_step", cost.elements},
          {"operations_per_element", cost.operations},
          {"used_by", std::move(uses)}};
}

Json of(const Explanation& all, const HandedOver& one) {
  return {{"field", all.plan[one.field].name},
          {"what", one.what},
          {"only_to_other_nodes", one.is_for_far_servers},
          {"ranks", one.ranks},
          {"bytes_per_step", one.bytes},
          {"whole_bytes_per_step", one.whole_bytes}};
}

Json of(const Traffic& traffic) { return {{"messages", traffic.messages}, {"bytes", traffic.bytes}}; }

Json of(const ExpectedInput& input) {
  Json out = {{"name", input.name},
              {"source", input.source},
              {"record_bytes", input.record_bytes},
              {"held_bytes", input.held_bytes}};
  if (!input.problem.empty()) {
    out["problem"] = input.problem;
    return out;
  }
  out["records"] = input.records;
  out["messages"] = input.messages;
  return out;
}

Json of(const ExpectedMemory& memory) {
  return {{"keeps_up_bytes", memory.keeps_up_bytes()},     {"most_bytes", memory.most_bytes},
          {"window_bytes", memory.window_bytes},           {"parcel_bytes", memory.parcel_bytes},
          {"most_parcel_bytes", memory.most_parcel_bytes}, {"spare_buffer_bytes", memory.spare_bytes},
          {"record_bytes", memory.record_bytes},           {"result_bytes", memory.result_bytes},
          {"packing_bytes", memory.packing_bytes},         {"slab_bytes", memory.slab_bytes},
          {"checkpoint_bytes", memory.checkpoint_bytes},   {"program_bytes", kProgramBytes}};
}

Json of_server(const Explanation& all, ServerRank server) {
  Traffic from_model;
  for (ClientRank rank = 0; rank < all.plan.layout.clients; ++rank) {
    if (all.plan.layout.server_of(rank) == server) from_model += all.run.from_ranks[rank];
  }
  Json kinds = Json::object();
  const ExpectedTraffic& traffic = all.run.of_server[server];
  for (std::size_t kind = 0; kind < kServerFrameNames.size(); ++kind) {
    if (traffic.most[kind].messages == 0) continue;
    kinds[std::string(kServerFrameNames[kind])] = {{"least", of(traffic.least[kind])},
                                                   {"most", of(traffic.most[kind])}};
  }
  const ExpectedMemory& memory = all.memory[server];
  return {{"server", server},
          {"from_model", of(from_model)},
          {"to_servers", std::move(kinds)},
          {"memory", of(memory)}};
}

}  // namespace

std::string json_of(const Explanation& all) {
  Json series = Json::array(), rules = Json::array(), ranks = Json::array(), servers = Json::array();
  const PackedVariables packed(all.plan);
  for (std::uint32_t f = 0; f < all.plan.files.size(); ++f) series.push_back(of_series(all, f, packed));
  for (const RuleCost& cost : all.rules) rules.push_back(of(all, cost));
  Json handed_over = Json::array();
  for (const HandedOver& one : all.handed_over) handed_over.push_back(of(all, one));
  for (ClientRank rank = 0; rank < all.plan.layout.clients; ++rank)
    ranks.push_back({{"rank", rank},
                     {"server", all.plan.layout.server_of(rank)},
                     {"sends", of(all.run.from_ranks[rank])}});
  for (ServerRank server = 0; server < all.plan.layout.servers; ++server)
    servers.push_back(of_server(all, server));
  Json inputs = Json::array();
  for (const ExpectedInput& one : all.inputs) inputs.push_back(of(one));
  const std::vector<Step>& steps = all.steps.steps;
  Json out = {{"configuration", all.configuration},
              {"model", all.model},
              {"steps", steps.size()},
              {"start_time_s", all.steps.start_time_s},
              {"end_time_s", steps.back().time},
              {"is_whole_run", all.steps.is_whole_run},
              {"files", std::move(series)},
              {"rules", std::move(rules)},
              {"in_place_of_fields", std::move(handed_over)},
              {"model_ranks", std::move(ranks)},
              {"servers", std::move(servers)},
              {"inputs", std::move(inputs)},
              {"not_counted", all.run.not_counted}};
  if (!all.advice.empty()) out["advice"] = all.advice;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pileus::explain
