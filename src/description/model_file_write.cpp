// Writes the description of a model.

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "description/model_file.h"

namespace pileus {
namespace {

using Json = nlohmann::ordered_json;

Json of(const ModelDimension& dimension) {
  Json out = {{"name", dimension.name}, {"size", dimension.size}};
  if (!dimension.units.empty()) out["units"] = dimension.units;
  if (!dimension.coordinates.empty()) out["coordinates"] = dimension.coordinates;
  if (!dimension.bounds.empty()) out["bounds"] = dimension.bounds;
  return out;
}

Json of(const ModelPoints& points) {
  Json out = {{"name", points.name}, {"dimensions", points.dimensions}};
  if (points.may_be_shared) out["shared"] = true;
  return out;
}

Json of(const ModelMetadata& metadata) {
  Json out = Json::object();
  if (!metadata.units.empty()) out["units"] = metadata.units;
  if (!metadata.standard_name.empty()) out["standard_name"] = metadata.standard_name;
  if (!metadata.long_name.empty()) out["long_name"] = metadata.long_name;
  return out;
}

/// What the file has once for all ranks: each dimension and field as the first rank that registered it gave
/// it.
struct Common {
  std::vector<ModelDimension> dimensions;
  std::vector<ModelPoints> points;
  std::vector<ModelField> fields;  ///< on these points
};

Common common_of(const ModelRanks& model) {
  Common common;
  const auto add = [](auto& all, const auto& one) {
    const auto has_name = [&](const auto& other) { return other.name == one.name; };
    if (std::ranges::none_of(all, has_name)) all.push_back(one);
  };
  for (std::size_t kind = 0; kind < model.kind_count(); ++kind) {
    for (const ModelDimension& dimension : model.kind(kind).dimensions) add(common.dimensions, dimension);
    for (const ModelPoints& points : model.kind(kind).points) add(common.points, points);
    for (ModelField field : model.kind(kind).fields) {
      if (field.points) {
        const std::string& name = model.kind(kind).points[*field.points].name;
        const auto found = std::ranges::find(common.points, name, &ModelPoints::name);
        field.points = static_cast<std::uint32_t>(found - common.points.begin());
      }
      add(common.fields, field);
    }
  }
  return common;
}

Json kind_of(const ModelField& field) {
  return {{"type", std::string(name(field.type))}, {"dimensions", field.dimensions}};
}

/// A line of a kind of ranks, in which the regions are not filled in.
Json kind_of(const RankDescription& rank, const Common& common) {
  Json out = Json::object();
  if (rank.dimensions != common.dimensions) {
    out["dimensions"] = Json::array();
    for (const ModelDimension& dimension : rank.dimensions) out["dimensions"].push_back(of(dimension));
  }
  out["fields"] = Json::object();
  for (const ModelField& field : rank.fields) {
    Json& one = out["fields"][field.name];
    one = {{"start", Json::array()}, {"count", Json::array()}};
    const auto all = std::ranges::find(common.fields, field.name, &ModelField::name);
    if (kind_of(field) != kind_of(*all)) one.update(kind_of(field));
  }
  return out;
}

Json rank_of(const ModelRanks& model, std::size_t rank, Json line) {
  const std::vector<ModelField>& fields = model.common_of(rank).fields;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Region region = model.region(rank, f);
    line["fields"][fields[f].name]["start"] = region.start;
    line["fields"][fields[f].name]["count"] = region.count;
  }
  return line;
}

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Writes each value of a list on a line of its own.
std::string lines(const std::vector<Json>& all) {
  std::string text = "[";
  for (const Json& one : all) text += (&one == all.data() ? "\n    " : ",\n    ") + one_line(one);
  return text + (all.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string model_file_text(const ModelFile& file, const ModelRanks& model) {
  const Common common = common_of(model);
  const RankDescription& first = model.kind(0);
  std::vector<Json> dimensions, points, fields, ranks;
  for (const ModelPoints& one : common.points) points.push_back(of(one));
  for (const ModelDimension& dimension : common.dimensions) dimensions.push_back(of(dimension));
  for (const ModelField& field : common.fields) {
    Json one = {{"name", field.name}};
    one.update(kind_of(field));
    one.update(of(field.metadata));
    if (field.is_static) one["static"] = true;
    if (field.points) one["points"] = common.points[*field.points].name;
    fields.push_back(std::move(one));
  }
  std::vector<Json> kinds;
  for (std::size_t kind = 0; kind < model.kind_count(); ++kind)
    kinds.push_back(kind_of(model.kind(kind), common));
  for (std::size_t rank = 0; rank < model.size(); ++rank)
    ranks.push_back(rank_of(model, rank, kinds[model.kind_of(rank)]));
  std::string text = "{\n  \"servers\": " + std::to_string(file.servers);
  const auto add = [&](const char* key, const std::string& value) {
    text += ",\n  \"" + std::string(key) + "\": " + value;
  };
  if (file.timestep_s) {
    add("timestep_s", one_line(*file.timestep_s));
    add("start_time_s", one_line(file.start_time_s));
    if (file.has_initial_state) add("initial_state", one_line(true));
  }
  if (!first.calendar.empty()) add("calendar", one_line(first.calendar));
  if (!first.epoch.empty()) add("epoch", one_line(first.epoch));
  add("options", one_line(first.options));
  add("dimensions", lines(dimensions));
  if (!points.empty()) add("points", lines(points));
  add("fields", lines(fields));
  add("ranks", lines(ranks));
  return text + "\n}\n";
}

void write_model_file(const std::string& path, const ModelFile& file, const ModelRanks& model) {
  // The file at `path` is whole at any time: another process may read it, and a second writing replaces the
  // first.
  const std::string temporary = path + ".new";
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << model_file_text(file, model) << std::flush;
  const int reason = errno;
  const bool is_written = out.good();
  out.close();
  std::error_code problem(is_written ? 0 : reason, std::generic_category());
  if (is_written) std::filesystem::rename(temporary, path, problem);
  if (problem) throw OutputError(path + ": could not write the model's description: " + problem.message());
}

}  // namespace pileus
