#include "layout/model_metadata.h"

#include <map>
#include <set>

#include "config/messages.h"
#include "config/namespaces.h"
#include "core/missing.h"

namespace pileus {
namespace {

using Fields = std::map<std::string, const ModelField*>;

/// The fields by name, as the first rank that registers each gives it.
Fields fields_of(const ModelRanks& model, Findings& findings) {
  Fields fields;
  std::set<std::string> said;
  for (std::size_t kind = 0; kind < model.kind_count(); ++kind) {
    const std::size_t rank = model.first_rank(kind);
    for (const ModelField& field : model.kind(kind).fields) {
      const ModelField& first = *fields.try_emplace(field.name, &field).first->second;
      if (first.is_static != field.is_static && said.insert(field.name).second)
        findings.error({}, "field " + in_quotes(field.name) + (first.is_static ? " is" : " is not") +
                               " static on the model ranks before " + std::to_string(rank) +
                               ", which says otherwise: call pileus_static on every rank or on none");
      if (first.metadata == field.metadata || !said.insert(field.name).second) continue;
      findings.error({}, "field " + in_quotes(field.name) + " has other units or names on model rank " +
                             std::to_string(rank) +
                             " than on those before it: give the same ones to "
                             "pileus_field_metadata on every rank");
    }
  }
  return fields;
}

void take(const std::string& models, const Location& where, Text& ours) {
  if (ours.value.empty() && !ours.is_given() && !models.empty()) ours = {models, where};
}

void take(const ModelMetadata& models, FieldConfig& field, Findings& findings) {
  Metadata& ours = field.metadata;
  const bool is_overruled =
      ours.units.is_given() && !models.units.empty() && ours.units.value != models.units;
  if (is_overruled)
    findings.warning(ours.units.where, "field " + in_quotes(field.name.value) + " has the units " +
                                           in_quotes(models.units) + " in the model; files say " +
                                           in_quotes(ours.units.value));
  take(models.units, field.name.where, ours.units);
  take(models.standard_name, field.name.where, ours.standard_name);
  take(models.long_name, field.name.where, ours.long_name);
}

/// What is read from files has their shape, and their number for no value.
void take_from_files(const ModelField& read, FieldConfig& field) {
  field.is_collective = !read.dimensions.empty();
  if (read.type != ElementType::boolean && is_number(read.type))
    field.missing_value = missing_of_files(read.type);
}

}  // namespace

void take_metadata(const ModelRanks& model, Config& config, Findings& findings) {
  const Fields fields = fields_of(model, findings);
  std::set<std::string> registered;
  for (const auto& [name, field] : fields) registered.insert(name);
  for (DataGroupConfig& group : config.data_groups) {
    for (FieldConfig& field : group.fields) {
      const auto found = fields.find(registered_name(full_name(group.scope, field.name.value), registered));
      if (found == fields.end()) continue;
      take(found->second->metadata, field, findings);
      field.is_static = field.is_static || found->second->is_static;
      if (group.is_from_files()) take_from_files(*found->second, field);
    }
  }
}

}  // namespace pileus
