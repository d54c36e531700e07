#include "config/read_config.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "config/cmip/read_cmip.h"
#include "config/components.h"
#include "config/first_places.h"
#include "config/messages.h"
#include "config/namespaces.h"
#include "config/pairs/pairs.h"
#include "config/read_attributes.h"
#include "config/read_diagnostic.h"
#include "config/read_field.h"
#include "config/read_file.h"
#include "config/read_grid.h"
#include "config/read_input.h"
#include "config/read_mapping.h"
#include "config/read_servers.h"
#include "config/readings.h"
#include "config/sources.h"
#include "config/statistics/read_statistics.h"
#include "config/statistics/read_trigger.h"
#include "config/substitution.h"
#include "config/values.h"

namespace pileus {
namespace {

/// Reads all sections of one kind before those of the next, so that their order in the document does not
/// matter.
class ConfigReader {
 public:
  ConfigReader(const Sources& sources, Config& config, Findings& findings)
      : sources_(sources), config_(config), findings_(findings) {}

  void read() {
    for_each("server-configuration", [this](const ElementReader& server) { read_server(server); });
    for_each("time", [this](const ElementReader& time) {
      const auto before = times_.before({"", time.where()});
      if (before && before->file != time.where().file)
        time.error(time.where(), "a second <time>; the first is at " + before->text());
      config_.time = read_time(time);
    });
    for_each("dimension", [this](const ElementReader& dimension) {
      if (is_first(dimension, "name", "", dimensions_))
        config_.dimensions.push_back(read_dimension(dimension));
    });
    for_each("grid", [this](const ElementReader& grid) {
      if (is_first(grid, "name", source_->scope, grids_))
        config_.grids.push_back(read_grid(grid, source_->scope));
    });
    for_each("grid_mapping", [this](const ElementReader& mapping) {
      MappingConfig read = read_mapping(mapping, source_->scope);
      if (is_first(mapping, "name", source_->scope, mappings_)) config_.mappings.push_back(std::move(read));
    });
    for_each("data-definition", [this](const ElementReader& data) { read_data_group(data); });
    for_each("data-reading", [this](const ElementReader& reading) {
      for (const ElementReader& input : reading.children("input")) {
        InputConfig read = read_input(input);
        if (is_first(input, "name", "", inputs_)) config_.inputs.push_back(std::move(read));
      }
    });
    for_each("data-handling", [this](const ElementReader& handling) {
      for (const ElementReader& diagnostic : handling.children("diagnostic"))
        add_diagnostic(diagnostic, scope_in(handling));
      for (const ElementReader& condition : handling.children("condition"))
        add_condition(condition, scope_in(handling));
      for (const ElementReader& trigger : handling.children("trigger"))
        add_trigger(trigger, scope_in(handling));
    });
    read_statistics_of_all();
    for_each("group", [this](const ElementReader& group) { read_group(group); });
    for_each("data-writing", [this](const ElementReader& writing) {
      for (const ElementReader& file : writing.children("file")) read_file(file);
      for (const ElementReader& dataset : writing.children("cmip-dataset")) add_dataset(dataset);
      add_attributes(writing);
    });
    add_files_of_triggers();
    make_pairs(config_, units_by_name(config_));
    check_spill(config_, findings_);
  }

 private:
  void for_each(std::string_view name, const std::function<void(const ElementReader&)>& read) {
    for (const std::unique_ptr<Source>& source : sources_) {
      source_ = source.get();
      if (!source->root()) continue;
      for (const ElementReader& element : source->root()->children(name)) read(element);
    }
  }

  /// The namespaces around the contents of `element`.
  std::string scope_in(const ElementReader& element) const {
    const std::string inner = element.is_usable("namespace") ? element.text("namespace").value : "";
    return inner.empty() ? source_->scope : full_name(source_->scope, inner);
  }

  void read_server(const ElementReader& server) {
    if (!source_->is_of_run) {
      return server.error(
          server.where(),
          "<server-configuration> belongs in the file that the run is started with, not in one "
          "that is included");
    }
    for (const ElementReader& servers : server.children("servers")) config_.servers = read_servers(servers);
    for (const ElementReader& library : server.children("operator-library")) add_operators(library);
    for (const ElementReader& pool : server.children("thread_pool")) config_.threads = pool.integer("number");
    for (const ElementReader& memory : server.children("memory")) read_memory(memory);
    for (const ElementReader& element : server.children("pushdown")) read_pushdown(element);
    for (const ElementReader& events : server.children("events")) {
      config_.events = events.text("file").value;
      config_.on_epoch = events.text("on_epoch").value;
      config_.on_checkpoint = events.text("on_checkpoint").value;
      config_.on_end = events.text("on_end").value;
      config_.events_where = events.is_given("file") ? events.text("file").where : events.where();
    }
    for (const ElementReader& one : server.children("checkpoint")) config_.checkpoint = read_checkpoint(one);
  }

  void read_pushdown(const ElementReader& element) {
    config_.may_push_down = element.text("use").value != "no";
    if (const auto budget = element.duration("budget")) config_.pushdown_budget_s = budget->seconds;
  }

  void read_memory(const ElementReader& memory) {
    if (memory.is_given("budget")) {
      config_.memory_budget_bytes = memory.bytes("budget");
      config_.is_memory_of_component = source_->part != nullptr;
    }
    read_spill(memory);
    const XmlAttribute* const policy = memory.element().find("when_full");
    if (policy == nullptr) return;
    const bool is_spill = policy->value == "spill";
    if (!is_spill && policy->value != "thin" && policy->value != "drop") return;
    memory.note(memory.where(), std::string("each file says for itself that ") +
                                    (is_spill ? "servers may spill for it" : "its records may be left out") +
                                    ", by when_memory_full=" + in_quotes(policy->value));
  }

  void read_spill(const ElementReader& memory) {
    if (!memory.is_given("spill_directory")) {
      if (memory.is_given("spill_limit"))
        memory.error(memory.text("spill_limit").where,
                     "spill_limit without spill_directory: name the folder");
      return;
    }
    config_.spill = {memory.text("spill_directory"),
                     parse_bytes(memory.text("spill_limit").value).value_or(1)};
  }

  /// Adds the operators of a library; rules are read later and may use them.
  void add_operators(const ElementReader& library) {
    if (!library.is_usable("file") || !config_.catalogue.load_operators) return;
    const Text file = library.text("file");
    const auto path = std::filesystem::path(file.where.file).parent_path() / file.value;
    try {
      for (Declaration& one : config_.catalogue.load_operators(path.string())) {
        const auto& known = config_.catalogue.operators;
        const bool is_taken =
            std::ranges::any_of(known, [&](const Declaration& other) { return other.name == one.name; });
        if (is_taken) {
          library.error(file.where, "the operator library " + path.string() + " declares an operator " +
                                        in_quotes(one.name) + ", but there is one of that name already");
        } else {
          config_.catalogue.operators.push_back(std::move(one));
        }
      }
    } catch (const PluginError& error) {
      library.error(file.where, error.what());
    }
  }

  void read_data_group(const ElementReader& data) {
    DataGroupConfig group{data.text("name"), data.cadence("frequency"), {}, data.where(), scope_in(data)};
    group.send_on_terminate = data.boolean("send_on_terminate");
    read_origin(data, group);
    is_first(data, "name", group.scope, data_groups_);
    for (const ElementReader& field : data.children("field")) {
      const bool is_new = is_first(field, "name", group.scope, fields_);
      // Mistakes are reported also in a field that is left out.
      FieldConfig read = group.is_from_files() ? read_field_of_file(field) : read_field(field);
      if (is_new) group.fields.push_back(std::move(read));
    }
    keep(std::move(group));
  }

  /// Adds the fields of a second group with the same name to the first, so that what uses them is still
  /// understood.
  void keep(DataGroupConfig group) {
    const auto [same, is_new] =
        known_data_groups_.try_emplace({group.scope, group.name.value}, config_.data_groups.size());
    if (is_new) {
      config_.data_groups.push_back(std::move(group));
    } else {
      std::ranges::move(group.fields, std::back_inserter(config_.data_groups[same->second].fields));
    }
  }

  void add_diagnostic(const ElementReader& element, const std::string& scope) {
    DiagnosticConfig diagnostic = read_diagnostic(source_->reading, element);
    diagnostic.scope = scope;
    const auto field = fields_.find(full_name(scope, diagnostic.field.value));
    if (field && element.is_given("field")) {
      element.error(diagnostic.field.where, element.label() + " has the name of a field, declared at " +
                                                field->text() + "; choose another name");
    } else if (is_first(element, "field", scope, diagnostics_)) {
      config_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  void add_condition(const ElementReader& element, const std::string& scope) {
    DiagnosticConfig condition = read_condition(source_->reading, element);
    condition.scope = scope;
    if (is_free(element, "name", condition)) config_.diagnostics.push_back(std::move(condition));
  }

  void add_trigger(const ElementReader& element, const std::string& scope) {
    ReadTrigger read = read_trigger(source_->reading, element, scope);
    if (!is_first(element, "name", "", triggers_)) return;
    const bool are_free = std::ranges::all_of(read.conditions, [&](const DiagnosticConfig& condition) {
      return is_free(element, "name", condition);
    });
    if (!are_free) read.trigger.when = read.trigger.until = {};
    if (are_free) std::ranges::move(read.conditions, std::back_inserter(config_.diagnostics));
    config_.triggers.push_back(std::move(read.trigger));
  }

  /// Reports a name that another file has.
  void add_files_of_triggers() {
    for (FileConfig& file : files_of_triggers(config_.triggers)) {
      const auto before = files_.before({file.name.value, file.name.where});
      if (!before)
        config_.files.push_back(std::move(file));
      else
        findings_.error(file.name.where, "the conditions of triggers stand in " + in_quotes(file.name.value) +
                                             ", and there is another file of that name, at " +
                                             before->text() +
                                             R"(: give <trigger> another file="triggers.nc")");
    }
  }

  /// After all fields and diagnostics, of which they give the units.
  void read_statistics_of_all() {
    const UnitsByName known = units_by_name(config_);
    for_each("data-handling", [&](const ElementReader& handling) {
      const std::string scope = scope_in(handling);
      for (const ElementReader& element : handling.children("statistics")) {
        Statistics made = read_statistics(element, scope, known);
        if (!is_first(element, "name", scope, groups_)) continue;
        for (DiagnosticConfig& one : made.diagnostics) {
          if (is_free(element, "name", one)) config_.diagnostics.push_back(std::move(one));
        }
        group_names_.push_back(full_name(scope, made.group.name.value));
        config_.groups.push_back(std::move(made.group));
      }
    });
  }

  /// Reports a name that a field or another diagnostic has.
  bool is_free(const ElementReader& element, const std::string& attribute, const DiagnosticConfig& made) {
    const Text& name = made.field;
    if (!element.is_given(attribute) || name.value.empty()) return false;
    const std::string full = full_name(made.scope, name.value);
    auto before = fields_.find(full);
    if (!before) before = diagnostics_.before({full, name.where});
    if (before) {
      element.error(name.where, element.label() + " makes " + in_quotes(name.value) +
                                    ", but there is one of that name, declared at " + before->text() +
                                    "; choose another name, or a namespace of data-handling");
    }
    return !before;
  }

  void read_group(const ElementReader& element) {
    GroupConfig group{element.text("name"), {}, element.where(), scope_in(element)};
    FirstPlaces members;
    for (const ElementReader& member : element.children("member")) {
      if (is_first(member, "name", "", members)) group.members.push_back(member.text("name"));
    }
    if (!element.is_usable("name")) has_open_group_ = true;
    if (!is_first(element, "name", group.scope, groups_)) return;
    group_names_.push_back(full_name(group.scope, group.name.value));
    config_.groups.push_back(std::move(group));
  }

  void read_file(const ElementReader& element) {
    FileConfig file = read_file_alone(element);
    const bool is_new = is_first(element, "name", "", files_);
    for (const ElementReader& include : element.children("include")) {
      if (include.is_given("state")) {
        check_state(include);
        continue;
      }
      file.includes.push_back(read_include(include, scope_in(include), file.is_of_checkpoints));
      check_what_is_included(include, file.includes.back());
    }
    if (is_new) config_.files.push_back(std::move(file));
  }

  void add_dataset(const ElementReader& dataset) {
    CmipFiles made = read_cmip(dataset, source_->scope, units_by_name(config_), *source_->reading.find_file);
    for (DiagnosticConfig& one : made.diagnostics) add_turned(dataset, std::move(one));
    for (FileConfig& file : made.files) {
      const auto before = files_.before({file.name.value, file.where});
      if (before) {
        dataset.error(file.where,
                      "a second file " + in_quotes(file.name.value) + "; the first is at " + before->text());
      } else {
        config_.files.push_back(std::move(file));
      }
    }
  }

  /// A field with the other sign, which several files may have.
  void add_turned(const ElementReader& dataset, DiagnosticConfig turned) {
    const std::string full = full_name(turned.scope, turned.field.value);
    if (!turned_.insert(full).second) return;
    auto before = fields_.find(full);
    if (!before) before = diagnostics_.before({full, turned.where});
    if (before)
      dataset.error(turned.where, "<cmip> makes " + in_quotes(turned.field.value) +
                                      ", but there is one of that name, declared at " + before->text() +
                                      "; choose another name");
    else
      config_.diagnostics.push_back(std::move(turned));
  }

  /// Sections of several files may each add to one list.
  void add_attributes(const ElementReader& writing) {
    for (AttributeConfig& attribute : read_attributes(writing, AttributeHome::all_files)) {
      const auto before = attributes_.before(attribute.name);
      if (!before) {
        config_.attributes.push_back(std::move(attribute));
      } else if (before->text() != attribute.name.where.text()) {
        writing.error(attribute.name.where, "a second attribute " + in_quotes(attribute.name.value) +
                                                " of every file; the first is at " + before->text());
      }
    }
  }

  void check_what_is_included(const ElementReader& include, const FileIncludeConfig& out) {
    const bool has_field = include.is_given("field");
    const bool has_group = include.is_given("group");
    if (has_field && has_group) {
      include.error(out.group.where, "include has a field and a group; write two includes");
    } else if (!has_field && !has_group) {
      include.error(out.where, "include needs the attribute \"field\" or \"group\": what is written");
    }
    // There may be another group, behind the place where the document broke off or with a name that is not
    // known yet.
    if (!include.is_usable("group") || has_open_group_ || config_.is_broken_off) return;
    for (const std::string& name : meanings(out.scope, out.group.value)) {
      if (groups_.find(name)) return;
    }
    include.error(out.group.where, "no group " + in_quotes(out.group.value) +
                                       suggestion_or_known(out.group.value, group_names_));
  }

  /// Reports a name that was given before. A missing name is no name: it was reported already.
  static bool is_first(const ElementReader& element, const std::string& attribute, const std::string& scope,
                       FirstPlaces& places) {
    const Text name = element.text(attribute);
    if (name.value.empty()) return false;
    const auto before = places.before({full_name(scope, name.value), name.where});
    if (before)
      element.error(name.where, "a second " + element.label() + "; the first is at " + before->text());
    return !before;
  }

  const Sources& sources_;
  Source* source_ = nullptr;  ///< the source that is being read
  Config& config_;
  Findings& findings_;
  FirstPlaces times_, dimensions_, grids_, mappings_, data_groups_, fields_, diagnostics_, groups_, files_,
      attributes_, triggers_, inputs_;
  std::map<std::pair<std::string, std::string>, std::size_t> known_data_groups_;  ///< by scope and name
  std::vector<std::string> group_names_;
  std::set<std::string> turned_;  ///< fields that CMIP needs with the other sign
  bool has_open_group_ = false;
};

struct Reader {
  std::string_view text;
  const std::string& file_name;
  const Catalogue& catalogue;
  const FindInclude& find_include;
  const Dialects& dialects;

  Config read(const std::map<std::string, std::string>& options, bool allow_missing_options,
              const std::string& component, Findings& findings) const {
    Config config;
    config.catalogue = catalogue;
    config.options = options;
    if (!component.empty()) config.options.try_emplace(std::string(kComponentElement), component);
    config.text = text;
    std::map<std::string, bool> options_used;
    const FindInclude find_file = kept_in(config, find_include);
    const Reading shared{nullptr,  config.catalogue, config.options, allow_missing_options,
                         findings, &options_used,    &find_file};
    const Sources sources = read_sources(text, file_name, shared, find_file, dialects, component, config);
    ConfigReader(sources, config, findings).read();
    note_missing_options(file_name, options_used, findings);
    for (const auto& [key, is_missing] : options_used) config.keys.push_back(key);
    return config;
  }

  /// With what is included; what is wrong is reported where each component is read itself.
  std::map<std::string, Config> read_all(const std::vector<std::string>& components,
                                         const std::map<std::string, std::string>& options) const {
    Findings ignored;
    std::map<std::string, Config> all;
    for (const std::string& one : components) all.emplace(one, read(options, true, one, ignored));
    return all;
  }
};

/// What components have to do with each other.
void check_components(const Reader& reader, const std::map<std::string, std::string>& options,
                      const std::string& component, Config& config, Findings& findings) {
  std::vector<std::string> all = config.other_components;
  if (!component.empty() && !all.empty()) all.push_back(component);
  const std::map<std::string, Config> plain = reader.read_all(all, {});
  if (!plain.empty()) check_files_of_components(component, plain, findings);
  if (reads_files(config) ||
      std::ranges::any_of(plain, [](const auto& one) { return reads_files(one.second); }))
    check_readings(component, reader.read_all(config.other_components, options), config, findings);
}

}  // namespace

Config read_config(std::string_view text, const std::string& file_name, const Catalogue& catalogue,
                   const std::map<std::string, std::string>& options, Findings& findings,
                   bool allow_missing_options, const FindInclude& find_include, const Dialects& dialects,
                   const std::string& component) {
  const Reader reader{text, file_name, catalogue, find_include, dialects};
  Config config = reader.read(options, allow_missing_options, component, findings);
  check_components(reader, options, component, config, findings);
  return config;
}

void warn_of_unused_settings(std::span<const std::pair<std::string, std::string>> settings,
                             std::span<const std::string> keys, const std::string& file_name,
                             Findings& findings) {
  for (const auto& [key, value] : settings) {
    if (std::ranges::binary_search(keys, key)) continue;
    const std::string meant = key_suggestion(key, keys);
    const std::string what = "--set " + shortened(key) + "=" + shortened(value) +
                             ": nothing asks for the option " + in_quotes(key) + meant;
    // A note is enough otherwise: all options are written to the files, and this one may be there for that.
    meant.empty() ? findings.note({file_name}, what) : findings.warning({file_name}, what);
  }
}

}  // namespace pileus
