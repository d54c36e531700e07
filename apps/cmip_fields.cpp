#include "apps/cmip_fields.h"

#include <algorithm>

#include "analytics/operators/list.h"
#include "apps/cmip_text.h"
#include "config/messages.h"
#include "config/namespaces.h"
#include "config/read_config.h"
#include "formats/netcdf/grid_file.h"
#include "monc/dialect.h"

namespace pileus::apps {
namespace {

/// What CF calls a dimension of these units.
struct Direction {
  const char* units;
  const char* attributes;
};
constexpr Direction kDirections[] = {{"degrees_east", R"( axis="X" standard_name="longitude")"},
                                     {"degree_east", R"( axis="X" standard_name="longitude")"},
                                     {"degrees_north", R"( axis="Y" standard_name="latitude")"},
                                     {"degree_north", R"( axis="Y" standard_name="latitude")"}};

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

FieldsOfModel::FieldsOfModel(Findings& findings, std::vector<FieldOfVariable> mapping,
                             const std::optional<ModelFile>& model, const std::string& included,
                             const ReadSettings& reading, const std::string& name)
    : mapping_(std::move(mapping)) {
  if (!included.empty()) add_included(included, reading, name, findings);
  if (model) add_model(model->model);
  add_mapping(findings);
}

void FieldsOfModel::add_included(const std::string& included, const ReadSettings& reading,
                                 const std::string& name, Findings& findings) {
  std::map<std::string, std::string> options(reading.options.begin(), reading.options.end());
  Findings found;
  const Config config = read_config("<io-configuration>\n" + included + "</io-configuration>\n", name,
                                    builtin_catalogue(read_and_check_grid), options, found, true,
                                    includes_on_disk(presets_directory(), folders_of(reading.include_path)),
                                    all_dialects(reading.dialect), reading.component);
  for (const Finding& one : found.all())
    if (one.severity == Severity::error) findings.error(one.where, one.what);
  has_time_ = config.time.calendar.is_given() || config.time.epoch.is_given();
  for (const DimensionConfig& one : config.dimensions) declared_dimensions_.insert(one.name.value);
  for (const DataGroupConfig& group : config.data_groups)
    for (const FieldConfig& field : group.fields)
      known_[full_name(group.scope, field.name.value)] = {field.metadata.standard_name.value, nullptr,
                                                          nullptr, true};
  for (const DiagnosticConfig& one : config.diagnostics)
    known_[full_name(one.scope, one.field.value)] = {one.metadata.standard_name.value, nullptr, nullptr,
                                                     true};
}

void FieldsOfModel::add_model(const ModelDescription& model) {
  if (model.ranks.empty()) return;
  model_ = model.ranks.front();
  std::set<std::string> names;
  for (const ModelField& field : model_.fields) names.insert(field.name);
  for (const RankDescription& rank : model.ranks)
    for (const ModelField& field : rank.fields)
      if (names.insert(field.name).second) model_.fields.push_back(field);
  for (const ModelField& field : model_.fields) {
    const bool can_be_named =
        is_plain_name(field.name) &&
        std::ranges::all_of(field.dimensions, [](auto& one) { return is_plain_name(one); });
    if (!can_be_named || field.type == ElementType::character) continue;
    Known& known = known_[field.name];
    known.of_model = &field;
    if (known.standard_name.empty()) known.standard_name = field.metadata.standard_name;
  }
}

/// Where nothing else says what fields there are, the mapping does.
void FieldsOfModel::add_mapping(Findings& findings) {
  has_others_ = !known_.empty();
  std::vector<std::string> names;
  for (const auto& [name, known] : known_) names.push_back(name);
  for (const FieldOfVariable& row : mapping_) {
    if (known_.contains(row.field)) continue;
    if (has_others_ && row.units.empty() && row.size.empty()) {
      findings.error(row.where, "the model has no field " + in_quotes(row.field) +
                                    suggestion_or_known(row.field, names) +
                                    "; a column \"size\" or \"units\" declares it");
    } else {
      known_[row.field].of_mapping = &row;
    }
  }
}

const FieldOfVariable* FieldsOfModel::row_of(const std::string& table, const std::string& variable) const {
  const FieldOfVariable* best = nullptr;
  int most = 0;
  for (const FieldOfVariable& row : mapping_) {
    if (!row.table.empty() && row.table != table) continue;
    const bool is_root = variable.starts_with(row.variable + "_");
    if (row.variable != variable && !is_root) continue;
    const int close = (row.table.empty() ? 1 : 2) + (is_root ? 0 : 2);
    if (close <= most) continue;
    most = close;
    best = &row;
  }
  return best;
}

std::optional<FieldOfVariable> FieldsOfModel::find(const RequestedVariable& wanted, const std::string& table,
                                                   const CmipVariable& variable, std::string& why) const {
  FieldOfVariable found;
  if (!wanted.field.empty()) {
    found.field = wanted.field;
    found.positive = wanted.positive;
  } else if (const FieldOfVariable* const row = row_of(table, wanted.variable)) {
    found = *row;
    if (!wanted.positive.empty()) found.positive = wanted.positive;
  } else {
    found.field = variable.name;
    found.positive = wanted.positive;
  }
  if (known_.contains(found.field)) return found;
  std::vector<std::string> names, called_so;
  for (const auto& [name, known] : known_) {
    names.push_back(name);
    if (known.standard_name == variable.standard_name && !variable.standard_name.empty())
      called_so.push_back(name);
  }
  why = "the model has no field " + in_quotes(found.field);
  if (!called_so.empty())
    why += ", but " + some_listed(called_so) + " of the standard name " + in_quotes(variable.standard_name) +
           ": say in --fields which it is";
  else
    why += suggestion(found.field, names);
  return {};
}

std::string FieldsOfModel::time_and_dimensions(const std::set<std::string>& used) const {
  std::string text;
  if (!has_time_ && (!model_.calendar.empty() || !model_.epoch.empty()))
    text += "  <time" + attribute("calendar", model_.calendar) + attribute("epoch", model_.epoch) + "/>\n";
  for (const ModelDimension& one : model_.dimensions) {
    if (!used.contains(one.name) || declared_dimensions_.contains(one.name)) continue;
    for (const Direction& direction : kDirections)
      if (one.units == direction.units)
        text += "  <dimension" + attribute("name", one.name) + direction.attributes +
                attribute("units", one.units) + "/>\n";
  }
  return text;
}

std::string FieldsOfModel::declarations(const std::set<std::string>& used) const {
  std::string fields;
  std::set<std::string> dimensions;
  for (const std::string& name : used) {
    const auto found = known_.find(name);
    if (found == known_.end() || found->second.is_declared) continue;
    fields += "    <field" + attribute("name", name);
    if (const ModelField* const field = found->second.of_model) {
      dimensions.insert(field->dimensions.begin(), field->dimensions.end());
      if (!field->dimensions.empty())
        fields += attribute("size", joined(field->dimensions)) + " collective=\"true\"";
      if (field->is_static) fields += " static=\"true\"";
      fields += attribute("units", field->metadata.units) +
                attribute("standard_name", field->metadata.standard_name);
    } else if (const FieldOfVariable* const row = found->second.of_mapping) {
      if (!row->size.empty()) fields += attribute("size", row->size) + " collective=\"true\"";
      fields += attribute("units", row->units);
    }
    fields += "/>\n";
  }
  const std::string before = time_and_dimensions(dimensions);
  return fields.empty() ? before
                        : before + "  <data-definition name=\"of_cmip\" frequency=\"1\">\n" + fields +
                              "  </data-definition>\n";
}

}  // namespace pileus::apps
